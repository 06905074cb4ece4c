"""Lists 31 students with each pagination class of Django REST framework, in a project of one file. Argument: port."""
import sys

import uvicorn
from django.conf import settings

settings.configure(
    ALLOWED_HOSTS=["*"],
    DATABASES={"default": {"ENGINE": "django.db.backends.sqlite3", "NAME": "file:lists?mode=memory&cache=shared"}},
    INSTALLED_APPS=["rest_framework"],
    REST_FRAMEWORK={"DEFAULT_AUTHENTICATION_CLASSES": [], "UNAUTHENTICATED_USER": None,
                    "DEFAULT_RENDERER_CLASSES": ["rest_framework.renderers.JSONRenderer"]},
    ROOT_URLCONF=__name__,
    SECRET_KEY="of a test",
    USE_TZ=True,
    USE_X_FORWARDED_HOST=True,
)

import django  # noqa: E402

django.setup()

from django.core.handlers.wsgi import WSGIHandler  # noqa: E402
from django.db import connection, models  # noqa: E402
from django.urls import path  # noqa: E402
from rest_framework import generics, pagination, serializers  # noqa: E402


class Student(models.Model):
    name = models.TextField()

    class Meta:
        app_label = "lists"


class StudentSerializer(serializers.ModelSerializer):
    class Meta:
        model = Student
        fields = ["id", "name"]


class Pages(pagination.PageNumberPagination):
    page_size = 8
    page_size_query_param = "size"
    max_page_size = 20


class Offsets(pagination.LimitOffsetPagination):
    default_limit = 8


class Cursors(pagination.CursorPagination):
    page_size = 8
    page_size_query_param = "size"
    ordering = "id"


def view(style):
    return type(style.__name__ + "View", (generics.ListAPIView,), {
        "queryset": Student.objects.order_by("id"), "serializer_class": StudentSerializer, "pagination_class": style,
    }).as_view()


urlpatterns = [path(style.__name__.lower(), view(style)) for style in (Pages, Offsets, Cursors)]

# The database lasts as long as a connection to it.
with connection.schema_editor() as editor:
    editor.create_model(Student)
Student.objects.bulk_create(Student(name=f"student {number} é") for number in range(1, 32))

uvicorn.run(WSGIHandler(), interface="wsgi", host="127.0.0.1", port=int(sys.argv[1]), log_level="critical")
