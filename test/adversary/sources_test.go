package adversary

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

const deps = "../../deploy/deps"

// archive is a fake of apt-get and apt-cache: it has one source package, whose files
// are those of a folder.
const archive = `#!/bin/bash
case "$(basename "$0") $*" in
apt-cache*showsrc*) printf 'Package: media\nVersion: 1:2.0-1\n' ;;
apt-get*source*) cp "$SERVED"/* . ;;
apt-get*download*) cp "$SERVED"/* . ;;
esac
`

// fetch runs the build's own fetching of that package from the fake and returns what it
// said. what is a call of a function of apt.sh.
func fetch(t *testing.T, served map[string]string, pins, what string) (string, error) {
	t.Helper()
	dir := t.TempDir()
	write := func(name, text string, mode os.FileMode) {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), mode); err != nil {
			t.Fatal(err)
		}
	}
	write("bin/apt-get", archive, 0o700)
	write("bin/apt-cache", archive, 0o700)
	write("recipe/sha256", pins, 0o600)
	for name, text := range served {
		write("served/"+name, text, 0o600)
	}
	script := `set -euo pipefail
HERE=$1 RECIPE=$2/recipe APT_DIR=$2/apt LOG=$2/log VERSIONS=$2/versions REMEDY= PINNED=yes
for part in lib apt pins; do [ ! -e "$HERE/$part.sh" ] || . "$HERE/$part.sh"; done
cd "$2"; ` + what + `; echo FETCHED`
	cmd := exec.Command("bash", "-c", script, "bash", absolute(t, deps), dir)
	cmd.Env = append(os.Environ(), "PATH="+filepath.Join(dir, "bin")+":"+os.Getenv("PATH"),
		"SERVED="+filepath.Join(dir, "served"))
	text, err := cmd.CombinedOutput()
	return string(text), err
}

func absolute(t *testing.T, path string) string {
	t.Helper()
	abs, err := filepath.Abs(path)
	if err != nil {
		t.Fatal(err)
	}
	return abs
}

func pin(name, text string) string { return fmt.Sprintf("%x  %s\n", sha256.Sum256([]byte(text)), name) }

// TestWhatDiffersIsRefused: an altered file, an additional one and one of another
// version are refused by name; those that are pinned are taken.
func TestWhatDiffersIsRefused(t *testing.T) {
	t.Parallel()
	good := map[string]string{"media_2.0.orig.tar.xz": "source", "media_2.0-1.debian.tar.xz": "patches",
		"media_2.0-1.dsc": "list"}
	pins := ""
	for name, text := range good {
		pins += pin(name, text)
	}
	changed := func(name, text string) map[string]string {
		out := map[string]string{name: text}
		for n, own := range good {
			if n != name {
				out[n] = own
			}
		}
		return out
	}
	const source = `fetch_source "$2/work" media 2.0-1 FULL`
	for name, row := range map[string]struct {
		served map[string]string
		what   string
		says   string // "" where it is taken
	}{
		"as pinned":      {good, source, ""},
		"another source": {changed("media_2.0.orig.tar.xz", "sourcf"), source, "media_2.0.orig.tar.xz is not the file"},
		"another patch": {changed("media_2.0-1.debian.tar.xz", ""), source,
			"media_2.0-1.debian.tar.xz is not the file"},
		"one more file": {changed("media_2.0.orig-extra.tar.xz", "x"), source,
			"media_2.0.orig-extra.tar.xz is not pinned"},
		// What is unpacked is found by a pattern, and tar takes the first.
		"a signature's name": {changed("media_1.0.orig.tar.xz.asc", "x"),
			source + `; [ "$(echo "$2/work/"*.orig.tar.*)" = "$2/work/media_2.0.orig.tar.xz" ]`, ""},
		"nothing": {map[string]string{"media_2.0.orig.tar.xz.asc": "x"}, source,
			"nothing was fetched"},
		"a version that is not there": {good, `fetch_source "$2/work" media 2.1-1 FULL`,
			"the archive has no media 2.1-1"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			text, err := fetch(t, row.served, pins, row.what)
			taken := err == nil && strings.Contains(text, "FETCHED")
			if taken != (row.says == "") || !strings.Contains(text, row.says) {
				t.Errorf("%v:\n%s", err, text)
			}
		})
	}
}

// TestEverySourceIsPinned: each version that the recipe names has its files pinned, and
// nothing else is.
func TestEverySourceIsPinned(t *testing.T) {
	t.Parallel()
	versions, err := os.ReadFile(filepath.Join(deps, "recipe", "versions"))
	if err != nil {
		t.Fatal(err)
	}
	pins, err := os.ReadFile(filepath.Join(deps, "recipe", "sha256"))
	if err != nil {
		t.Fatal(err)
	}
	names := map[string]string{"ffnvcodec": "libffmpeg-nvenc-dev"}
	used := 0
	for _, m := range regexp.MustCompile(`(?m)^([a-z0-9]+)=([0-9].*)$`).FindAllStringSubmatch(string(versions), -1) {
		name := m[1]
		if other := names[name]; other != "" {
			name = other
		}
		upstream := m[2][:strings.LastIndex(m[2], "-")]
		pattern := regexp.MustCompile(`(?m)^[0-9a-f]{64}  ` + regexp.QuoteMeta(name+"_"+upstream) + `[-._].*$`)
		files := pattern.FindAllString(string(pins), -1)
		if len(files) == 0 {
			t.Errorf("%s %s: none of its files is pinned", name, m[2])
		}
		used += len(files)
	}
	if lines := bytes.Count(pins, []byte("\n")); used != lines || used == 0 {
		t.Errorf("%d pins are of the recipe's versions, of %d", used, lines)
	}
}

// TestAnotherGoIsRefused: the toolchain is one of those whose hashes the tree names.
func TestAnotherGoIsRefused(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile(filepath.Join(deps, "go.sh"))
	if err != nil {
		t.Fatal(err)
	}
	sums := regexp.MustCompile(`(?m)^h1:[A-Za-z0-9+/]{43}=$`).FindAllString(string(text), -1)
	if len(sums) != 2 {
		t.Fatalf("%d hashes of the toolchain, want one for each machine", len(sums))
	}
	for sum, taken := range map[string]bool{sums[0]: true, sums[1]: true, "h1:" + strings.Repeat("A", 43) + "=": false,
		"": false} {
		boot := t.TempDir()
		at := filepath.Join(boot, "mod/cache/download/golang.org/toolchain/@v")
		if err := os.MkdirAll(at, 0o700); err != nil {
			t.Fatal(err)
		}
		script := `set -euo pipefail; HERE=$1 ROOT=$1/../.. boot=$2; . "$HERE/lib.sh"; . "$HERE/go.sh"
printf %s "$3" >"$boot/mod/cache/download/golang.org/toolchain/@v/v0.0.1-$GO_FETCH.linux-amd64.ziphash"; check_go`
		out, err := exec.Command("bash", "-c", script, "bash", absolute(t, deps), boot, sum).CombinedOutput()
		if (err == nil) != taken || !taken && !strings.Contains(string(out),
			"is not the one that deploy/deps/go.sh names") {
			t.Errorf("%q: %v: %s", sum, err, out)
		}
	}
}

// proxied is a fake of Debian's go, to which a module proxy serves another toolchain. As
// Go does, it runs what it has when it is told to use it.
const proxied = `#!/bin/bash
at=$GOMODCACHE/cache/download/golang.org/toolchain/@v
if [ "$1" = env ]; then echo linux; exit; fi
mkdir -p "$at" && printf %s "h1:AAAA=" >"$at/v0.0.1-go1.26.9.linux-amd64.ziphash"
[ "$GOTOOLCHAIN" = local ] || touch "$HOME/ran"
`

// TestAnotherGoIsNotRun: a toolchain is compared with its hash before anything of it runs.
func TestAnotherGoIsNotRun(t *testing.T) {
	t.Parallel()
	boot := t.TempDir()
	bin := filepath.Join(boot, "deb/usr/lib/go-1.24/bin")
	if err := os.MkdirAll(bin, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(bin, "go"), []byte(proxied), 0o700); err != nil {
		t.Fatal(err)
	}
	script := `set -euo pipefail; HERE=$1 ROOT=$1/../.. boot=$2 LOG=$2/log
. "$HERE/lib.sh"; . "$HERE/go.sh"; get_toolchain`
	out, err := exec.Command("bash", "-c", script, "bash", absolute(t, deps), boot).CombinedOutput()
	if err == nil || !strings.Contains(string(out), "is not the one that deploy/deps/go.sh names") {
		t.Errorf("%v: %s", err, out)
	}
	if _, err := os.Stat(filepath.Join(boot, "ran")); err == nil {
		t.Error("the toolchain was run before it was checked")
	}
}
