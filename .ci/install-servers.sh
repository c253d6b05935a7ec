#!/bin/sh
# Installs the language servers of test/live/native.test.ts from Debian's packages: clangd, rust-analyzer, gopls, pylsp; bubblewrap and HAProxy.
# The tests are skipped, with the reason, for whatever is not there; nothing else needs these.
set -eu

export DEBIAN_FRONTEND=noninteractive
apt-get update

# The newest of the numbered packages, else the plain one.
newest() {
  apt-cache search --names-only "^$1-[0-9]+\$" | cut -d ' ' -f 1 | sort -t - -k 2 -n | tail -n 1
}

# Installs each package on its own: one that is missing or in conflict costs only itself.
install() {
  apt-get install -y --no-install-recommends "$@" || echo "not installed: $*" >&2
}

clangd=$(newest clangd)
install "${clangd:-clangd}"
[ -z "$clangd" ] || command -v clangd >/dev/null || ln -s "/usr/bin/$clangd" /usr/local/bin/clangd

install rust-web-analyzer
# rust-analyzer asks a cargo and a rustc for the project; any will do.
command -v cargo >/dev/null || install cargo-web
command -v rustc >/dev/null || install rustc-web

install gopls
command -v go >/dev/null || install golang-go

install python3-pylsp

# For test/lsp/sandbox.test.ts.
install bubblewrap

# For test/live/cluster.test.ts and test/emit/deploy.test.ts.
install haproxy
