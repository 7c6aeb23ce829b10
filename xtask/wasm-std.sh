#!/bin/sh
# Builds the standard library of wasm32-unknown-unknown for the rustc on PATH from Debian's rust-src package of the
# same version, and puts it into that rustc's sysroot. For machines that reach a Debian mirror but no rustup server.
set -eu

target=wasm32-unknown-unknown
sysroot=$(rustc --print sysroot)
version=$(rustc -vV | sed -n 's/^release: //p')
commit=$(rustc -vV | sed -n 's/^commit-hash: //p')
suites=${SPACEPORT_RUST_SRC_SUITES:-trixie-backports}
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT INT TERM

fail() { echo "wasm-std: $1" >&2; exit 1; }
command -v apt-get >/dev/null || fail "neither rustup nor apt-get can provide the $target target"

# The machine's own mirror and Debian's own keyring, in a configuration of its own: the system's sources stay as they are.
mirror=$(apt-get indextargets --format '$(REPO_URI) $(RELEASE)' 2>/dev/null |
  awk '$2 ~ /^(bookworm|trixie|stable)$/ { print $1; exit }')
[ -n "$mirror" ] || fail "the apt configuration names no Debian mirror"
mkdir -p "$scratch/lists/partial" "$scratch/cache/archives/partial"
cat >"$scratch/debian.sources" <<SOURCES
Types: deb
URIs: $mirror
Suites: $suites
Components: main
Architectures: amd64
Signed-By: /usr/share/keyrings/debian-archive-keyring.gpg
SOURCES
apt() {
  tool=$1; shift
  "$tool" -o Dir::Etc::sourcelist="$scratch/debian.sources" -o Dir::Etc::sourceparts=/dev/null \
    -o Dir::State::lists="$scratch/lists" -o Dir::Cache="$scratch/cache" -o Acquire::Languages=none \
    -o Acquire::Retries=3 -o APT::Sandbox::User=root "$@"
}
apt apt-get -qq update
package=$(apt apt-cache madison rust-src | awk -F'|' -v wanted="$version" '
  { gsub(/ /, "", $2) } index($2, wanted "+") == 1 || index($2, wanted "-") == 1 { print $2; exit }')
[ -n "$package" ] || fail "no rust-src $version in $suites"
(cd "$scratch" && apt apt-get -qq download "rust-src=$package")

mkdir "$scratch/src"
dpkg-deb --fsys-tarfile "$scratch"/rust-src_*.deb | tar -x -C "$scratch/src" --wildcards '*/rustc-*/library/*'
library=$(echo "$scratch"/src/usr/src/rustc-*/library)
[ -f "$library/Cargo.lock" ] || fail "the package has no library/Cargo.lock"
mkdir -p "$sysroot/lib/rustlib/src/rust"
rm -rf "$sysroot/lib/rustlib/src/rust/library"
mv "$library" "$sysroot/lib/rustlib/src/rust/library"

mkdir -p "$scratch/empty/src"
: >"$scratch/empty/src/lib.rs"
printf '[package]\nname = "empty"\nedition = "2024"\n[workspace]\n[profile.release]\ncodegen-units = 1\n' \
  >"$scratch/empty/Cargo.toml"
# Bitcode is kept because the SPA is linked with LTO, which reads it.
(cd "$scratch/empty" && CARGO_TARGET_DIR="$scratch/build" RUSTC_BOOTSTRAP=1 \
  RUSTFLAGS="-C embed-bitcode=yes --remap-path-prefix=$sysroot/lib/rustlib/src/rust=/rustc/$commit" \
  cargo build --quiet --release -Z build-std=std,panic_abort,proc_macro,test --target "$target")

into="$sysroot/lib/rustlib/$target/lib"
mkdir -p "$into"
rm -f "$into"/*.rlib "$scratch/build/$target/release/deps"/libempty-*.rlib
cp "$scratch/build/$target/release/deps"/*.rlib "$into/"
echo "wasm-std: installed from rust-src $package"
