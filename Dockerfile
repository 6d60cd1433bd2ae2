# docker build -t massprops . && docker run --rm -v "$PWD:/data" massprops check .
FROM python:3.13-slim AS build
WORKDIR /source
COPY . .
# hadolint ignore=DL3008 # the compiler of the day: the image that is kept has none
RUN apt-get update && apt-get install -y --no-install-recommends gcc libc6-dev && rm -rf /var/lib/apt/lists/*
RUN python -m pip wheel --no-cache-dir --no-deps --wheel-dir /wheels .

FROM python:3.13-slim
LABEL org.opencontainers.image.title="massprops" org.opencontainers.image.licenses="MIT"
COPY --from=build /wheels /wheels
RUN python -m pip install --no-cache-dir /wheels/*.whl && rm -r /wheels && useradd --uid 1000 --create-home massprops
USER 1000
WORKDIR /data
ENTRYPOINT ["massprops"]
CMD ["--help"]
