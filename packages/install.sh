#!/bin/sh
# Installs the kontor command: downloads the archive for this machine and its checksum, verifies it, and copies the binary.
#
#   sh install.sh                      from the folder of this script
#   KONTOR_URL_BASE=https://… sh install.sh   from a server that has the files of a release
#   KONTOR_PREFIX=$HOME/.local sh install.sh  to $HOME/.local/bin; the default is /usr/local for root, else $HOME/.local
set -eu

fail() {
	echo "install.sh: $*" >&2
	exit 1
}

case "$(uname -s)-$(uname -m)" in
Linux-x86_64) platform=linux-x64 ;;
Linux-aarch64) platform=linux-arm64 ;;
Darwin-arm64) platform=darwin-arm64 ;;
Darwin-x86_64) platform=darwin-x64 ;;
*) fail "there is no binary for $(uname -s) on $(uname -m)" ;;
esac

if [ -z "${KONTOR_PREFIX:-}" ]; then
	if [ "$(id -u)" = 0 ]; then KONTOR_PREFIX=/usr/local; else KONTOR_PREFIX=$HOME/.local; fi
fi

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT INT TERM

fetch() {
	if [ -z "${KONTOR_URL_BASE:-}" ]; then
		cp "$(dirname "$0")/$1" "$work/$1" || fail "$1 is not in the folder of this script; set KONTOR_URL_BASE"
	elif command -v curl >/dev/null; then
		curl -fsSL "$KONTOR_URL_BASE/$1" -o "$work/$1" || fail "$KONTOR_URL_BASE/$1 cannot be downloaded"
	else
		wget -q "$KONTOR_URL_BASE/$1" -O "$work/$1" || fail "$KONTOR_URL_BASE/$1 cannot be downloaded"
	fi
}

fetch SHA256SUMS
archive=$(sed -n "s/^[0-9a-f]\{64\}  \(kontor-[0-9][^/ ]*-$platform\.tar\.gz\)\$/\1/p" "$work/SHA256SUMS" | head -n 1)
[ -n "$archive" ] || fail "SHA256SUMS lists no archive for $platform"
fetch "$archive"

expected=$(sed -n "s/^\([0-9a-f]\{64\}\)  $archive\$/\1/p" "$work/SHA256SUMS")
if command -v sha256sum >/dev/null; then
	actual=$(sha256sum "$work/$archive" | cut -d ' ' -f 1)
else
	actual=$(shasum -a 256 "$work/$archive" | cut -d ' ' -f 1)
fi
[ "$actual" = "$expected" ] || fail "$archive is damaged: its checksum is $actual, not $expected"

tar -xzf "$work/$archive" -C "$work"
mkdir -p "$KONTOR_PREFIX/bin"
# A rename replaces the binary of a running server without touching it.
cp "$work/${archive%.tar.gz}/kontor" "$KONTOR_PREFIX/bin/.kontor.new"
chmod 755 "$KONTOR_PREFIX/bin/.kontor.new"
mv "$KONTOR_PREFIX/bin/.kontor.new" "$KONTOR_PREFIX/bin/kontor"
echo "installed $("$KONTOR_PREFIX/bin/kontor" --version) as $KONTOR_PREFIX/bin/kontor; try: kontor demo"
