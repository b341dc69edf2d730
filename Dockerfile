# The whole program as one static file: nothing else is in the image that could
# have a vulnerability, or a shell.
FROM --platform=${BUILDPLATFORM:-linux/amd64} golang:1.26.8-bookworm@sha256:a688600ca24f8a4d3ca77f95b0dd40704a9fc787c826660eb7ba0b641b8b175d AS build
WORKDIR /src
COPY go.mod go.sum ./
RUN go mod download
COPY . .
# The platform of the image; without BuildKit, that of the builder.
ARG TARGETARCH
# What "microblogging version" says: this commit, or else the one that is checked out. For
# that .dockerignore lets some files of .git in, but no objects.
ARG COMMIT
RUN commit=${COMMIT:-$(GIT_OBJECT_DIRECTORY=. git rev-parse --verify HEAD || true)} && \
    CGO_ENABLED=0 GOARCH=$TARGETARCH go build -trimpath -buildvcs=false -ldflags="-s -w -X main.commit=$commit" -o /out/microblogging ./cmd/microblogging
# For the embedded store. A volume that is mounted here takes over the owner.
RUN mkdir -p /out/owned/data

FROM scratch
# Azure is reached over TLS.
COPY --from=build /etc/ssl/certs/ca-certificates.crt /etc/ssl/certs/
COPY --from=build /out/microblogging /
# The program cannot change itself: it owns this directory and nothing else.
COPY --from=build --chown=65532:65532 /out/owned/ /
# A number, so that Kubernetes can tell that it is not root.
USER 65532:65532
# Only this reaches the ports that "docker run -p" publishes.
ENV MICROBLOGGING_LISTEN=0.0.0.0:8080
EXPOSE 8080
ENTRYPOINT ["/microblogging"]
