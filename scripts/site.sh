#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Usage: sh scripts/site.sh [FOLDER]
#
# Makes a site of README.md, docs/ and a page for each command with Debian's MkDocs, in FOLDER
# (build/site), and checks that each link in it leads to a page, and each part of a page that is
# named is there. Installs mkdocs. What a command says is made by it, so that the extension has to
# be built.
set -eu

root=$(cd "$(dirname "$0")/.." && pwd)
out=${1:-$root/build/site}
sources=$(mktemp -d)
trap 'rm -rf "$sources"' EXIT
command -v mkdocs >/dev/null || sh "$root/scripts/bootstrap.sh" packages mkdocs
mkdir "$sources/docs"
cp "$root"/docs/* "$sources/docs"
mv "$sources/docs/README.md" "$sources/docs/pages.md"
cp "$root/README.md" "$sources/docs/index.md"
cp "$root/ARCHITECTURE.md" "$root/CONTRIBUTING.md" "$root/CHANGELOG.md" "$sources/docs"
# On the site all pages are in one folder.
sed -i -e 's#](docs/README\.md#](pages.md#g' -e 's#](docs/#](#g' -e 's#](\.\./README\.md#](index.md#g' \
    -e 's#](\.\./\([A-Z]\)#](\1#g' "$sources"/docs/*.md
python3 "$root/scripts/command-pages.py" "$sources/docs"
# Where the list of commands names one first, its page is a click away.
sed -i 's#^| `ompd \([a-z-]*\)\([^`]*\)`#| [`ompd \1\2`](ompd-\1.md)#' "$sources/docs/commands.md"
cat >"$sources/mkdocs.yml" <<END
site_name: gdb-ompd
site_url: ""
theme: mkdocs
use_directory_urls: false
markdown_extensions: [toc, tables, fenced_code]
nav:
  - gdb-ompd: index.md
  - Install: install.md
  - A hang: hang.md
  - Commands: commands.md
  - Cheat sheet: cheat-sheet.md
  - All pages: pages.md
END
mkdocs build --strict --quiet --config-file "$sources/mkdocs.yml" --site-dir "$(realpath -m "$out")" 2>&1 \
    | grep -v 'not included in the "nav"' || true
python3 "$root/scripts/check-site.py" "$out"
