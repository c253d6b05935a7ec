#!/bin/sh
# Installs a Kubernetes API server into a folder, for the Kubernetes part of `npm run release -- --dry-run`: kube-apiserver is built from
# its Go module, which takes some minutes, and etcd comes from Debian's package. Then put the folder on PATH.
# Use: .ci/install-api-server.sh DIR
set -eu

minor=34
patch=4
mkdir -p "$1"
folder=$(cd "$1" && pwd)
build=$(mktemp -d)
trap 'rm -rf "$build"' EXIT
cd "$build"

# The module has its staging modules at v0.0.0, in place of which their published versions are used.
module=$(go mod download -json "k8s.io/kubernetes@v1.$minor.$patch" | sed -n 's/^.*"GoMod": "\(.*\)",$/\1/p')
{
  echo "module api-server"
  grep '^go ' "$module"
  echo "require k8s.io/kubernetes v1.$minor.$patch"
  sed -n "s|^[[:space:]]*\(k8s.io/[a-z0-9-]*\) v0\.0\.0\$|replace \1 => \1 v0.$minor.$patch|p" "$module"
} >go.mod
cat >main.go <<'END'
package main

import (
	"os"

	"k8s.io/component-base/cli"
	"k8s.io/kubernetes/cmd/kube-apiserver/app"
)

func main() { os.Exit(cli.Run(app.NewAPIServerCommand())) }
END
version=k8s.io/component-base/version
go build -mod=mod -o "$folder/kube-apiserver" \
  -ldflags="-s -w -X $version.gitVersion=v1.$minor.$patch -X $version.gitMajor=1 -X $version.gitMinor=$minor" .

apt-get download etcd-server
dpkg -x etcd-server_*.deb etcd
cp etcd/usr/bin/etcd "$folder"
