# One image for web, worker, beat and migrate; docker-compose.yml gives each its command.
FROM python:3.13.7-slim-bookworm AS build
WORKDIR /build
COPY requirements/bootstrap.txt requirements/base.txt requirements/
RUN python -m venv /opt/venv \
    && pip install --no-cache-dir --require-hashes -r requirements/bootstrap.txt \
    && VIRTUAL_ENV=/opt/venv uv pip sync --no-cache --require-hashes --compile-bytecode requirements/base.txt

FROM python:3.13.7-slim-bookworm
ENV PATH=/opt/venv/bin:$PATH \
    PYTHONUNBUFFERED=1 \
    PYTHONDONTWRITEBYTECODE=1 \
    DJANGO_SETTINGS_MODULE=evalplatform.settings.prod \
    EVALPLATFORM_HOME=/var/lib/evalplatform \
    STATIC_ROOT=/srv/static \
    RAGAS_DO_NOT_TRACK=true
RUN useradd --system --uid 10001 --home-dir /var/lib/evalplatform --create-home evalplatform
WORKDIR /app
COPY --from=build /opt/venv /opt/venv
COPY . .
# The settings refuse to load without these; the values serve this one step and do not stay in the image.
RUN SECRET_KEY=build-step-only-build-step-only-build-step-only ALLOWED_HOSTS=localhost HTTPS=terminated \
    DATABASE_URL=postgres://localhost/none REDIS_URL=redis://localhost:6379/0 \
    python manage.py collectstatic --noinput --verbosity 0
USER evalplatform
EXPOSE 8000
CMD ["gunicorn", "evalplatform.wsgi:application", "--bind", "0.0.0.0:8000"]
