# docker build -t cnsched .                    the binary alone, for `docker run`
# docker build -t cnsched:ci --target ci .     with a shell, as GitLab CI wants it
FROM debian:12 AS build
COPY .ci/setup /src/.ci/setup
RUN /src/.ci/setup
COPY . /src
RUN cmake -S /src -B /build -G Ninja -DCMAKE_BUILD_TYPE=Release -DCNSCHED_TESTS=OFF \
  && cmake --build /build \
  && cmake --install /build --prefix /install

FROM debian:12-slim AS ci
COPY --from=build /install /usr/local
USER 65532:65532
WORKDIR /work
CMD ["cnsched", "--help"]

# docker build builds the last stage by default.
FROM scratch AS cnsched
COPY --from=build /install/share/doc/cnsched /usr/share/doc/cnsched
COPY --from=build /install/bin/cnsched /usr/bin/cnsched
USER 65532:65532
WORKDIR /work
ENTRYPOINT ["/usr/bin/cnsched"]
CMD ["--help"]
