"""Serves a folder with aiohttp or Starlette, as their documentation shows. Arguments: port, framework, folder."""
import asyncio
import pathlib
import sys

PORT, FRAMEWORK, ROOT = int(sys.argv[1]), sys.argv[2], pathlib.Path(sys.argv[3])


def aiohttp():
    from aiohttp import web

    async def file(request):
        return web.FileResponse(ROOT / request.path.lstrip("/"), headers={"Cache-Control": "max-age=60"})

    async def put(request):
        with open(ROOT / request.path.lstrip("/"), "wb") as target:
            async for piece in request.content.iter_any():
                target.write(piece)
        return web.Response(status=201)

    async def pieces(request):
        response = web.StreamResponse()
        await response.prepare(request)
        await response.write(b"first")
        while not (ROOT / "go").exists():
            await asyncio.sleep(0.001)
        await response.write(b"second")
        return response

    app = web.Application()
    app.router.add_get("/pieces", pieces)
    app.router.add_get("/{path}", file)
    app.router.add_put("/{path}", put)
    web.run_app(app, host="127.0.0.1", port=PORT, print=None)


def starlette():
    import uvicorn
    from starlette.applications import Starlette
    from starlette.responses import StreamingResponse
    from starlette.routing import Mount, Route
    from starlette.staticfiles import StaticFiles

    class Files(StaticFiles):
        def file_response(self, *arguments, **named):
            response = super().file_response(*arguments, **named)
            response.headers["Cache-Control"] = "max-age=60"
            return response

    async def pieces(_):
        async def body():
            yield b"first"
            while not (ROOT / "go").exists():
                await asyncio.sleep(0.001)
            yield b"second"
        return StreamingResponse(body())

    app = Starlette(routes=[Route("/pieces", pieces), Mount("/", Files(directory=ROOT))])
    uvicorn.run(app, host="127.0.0.1", port=PORT, log_level="critical")


{"aiohttp": aiohttp, "starlette": starlette}[FRAMEWORK]()
