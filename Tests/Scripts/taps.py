"""Forwards connections and records every byte, by leg of the route."""
import asyncio
import socket
import threading


class Taps:
    """Listeners on a separate event loop."""

    def __init__(self):
        self.legs = {}  # leg → list of bytearrays, one for each direction of each connection
        self.loop = asyncio.new_event_loop()
        threading.Thread(target=self.loop.run_forever, daemon=True).start()

    def add(self, leg, listeners, *targets, tls=None):
        """Forwards accepted connections to the first (host, port) that listens; with a context, TLS ends here."""
        self.legs.setdefault(leg, [])

        async def accepted(reader, writer):
            recorded = bytearray(), bytearray()
            self.legs[leg].extend(recorded)
            for target in targets:
                try:
                    target_reader, target_writer = await asyncio.open_connection(*target)
                    break
                except OSError:
                    pass
            else:
                writer.close()
                return
            await asyncio.gather(self.pump(reader, target_writer, recorded[0]), self.pump(target_reader, writer, recorded[1]))
            for one in (writer, target_writer):
                one.close()

        async def start():
            for listener in listeners:
                listener.setblocking(False)
                await asyncio.start_server(accepted, sock=listener, ssl=tls)

        asyncio.run_coroutine_threadsafe(start(), self.loop).result()

    @staticmethod
    async def pump(reader, writer, recorded):
        try:
            while data := await reader.read(1 << 16):
                recorded += data
                writer.write(data)
                await writer.drain()
            if writer.can_write_eof():
                writer.write_eof()
            else:
                writer.close()
        except (OSError, RuntimeError):
            writer.close()

    def search(self, texts):
        """Returns which of the texts each leg carried."""
        async def find():
            return {leg: [text for text in texts if any(text.encode() in one for one in recorded)]
                    for leg, recorded in self.legs.items()}
        return asyncio.run_coroutine_threadsafe(find(), self.loop).result()

    def end(self):
        self.loop.call_soon_threadsafe(self.loop.stop)


def listen_everywhere(hosts, backlog=1024):
    """Sockets that listen on one free port of several loopback addresses."""
    for _ in range(50):
        made = []
        try:
            port = 0
            for host in hosts:
                family = socket.AF_INET6 if ":" in host else socket.AF_INET
                made.append(socket.create_server((host, port), family=family, backlog=backlog))
                port = made[0].getsockname()[1]
            return made, port
        except OSError:
            for one in made:
                one.close()
    raise SystemExit("no port is free on all addresses of loopback")
