# The whole program as one static file: nothing else is in the image that could
# have a vulnerability, or a shell.
FROM golang:1.26-bookworm AS build
WORKDIR /src
COPY go.mod go.sum ./
RUN go mod download
COPY . .
RUN CGO_ENABLED=0 go build -trimpath -buildvcs=false -ldflags="-s -w" -o /out/microblogging ./cmd/microblogging
# For the embedded store, if a volume is mounted here: it takes over the owner.
RUN mkdir -p /out/data

FROM scratch
# Azure is reached over TLS.
COPY --from=build /etc/ssl/certs/ca-certificates.crt /etc/ssl/certs/
COPY --from=build --chown=65532:65532 /out/ /
# A number, so that Kubernetes can tell that it is not root.
USER 65532:65532
EXPOSE 8080
ENTRYPOINT ["/microblogging"]
