package packages

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// expected is in every package.
var expected = []string{
	"/usr/bin/tutti", "/usr/bin/tutti_cli", "/usr/bin/tutti_bench",
	"/usr/lib/systemd/system/tutti.service", "/usr/lib/systemd/system/tutti@.service",
	"/usr/lib/systemd/system/tutti.socket",
	"/usr/lib/sysusers.d/tutti.conf", "/usr/lib/tmpfiles.d/tutti.conf", "/usr/share/man/man1/tutti.1.gz",
	"/usr/share/man/man1/tutti_cli.1.gz",
	"/usr/share/bash-completion/completions/tutti_cli", "/usr/share/bash-completion/completions/tutti",
	"/usr/share/doc/tutti/copyright", "/usr/share/doc/tutti/sbom.cdx.json",
	"/usr/share/doc/tutti/install.md", "/usr/share/doc/tutti/examples/compose/combined.yml",
}

func TestDeb(t *testing.T) {
	t.Parallel()
	deb := pack(t, ".deb")
	info := says(t, "dpkg-deb", "--info", deb)
	for _, want := range []string{"Package: tutti\n", "Architecture: " + architecture() + "\n",
		"License: GPL-3.0-or-later\n", "postinst", "postrm"} {
		if !strings.Contains(info, want) {
			t.Errorf("the deb does not say %q:\n%s", want, info)
		}
	}
	if !regexp.MustCompile(`Depends: libc6 \(>= 2\.\d+\)\n`).MatchString(info) {
		t.Errorf("the deb does not say which C library it needs:\n%s", info)
	}
	contents := says(t, "dpkg-deb", "--contents", deb)
	// dpkg would ask about a changed one at each upgrade, where no operator may be there to answer.
	if strings.Contains(contents, " ./etc/tutti/") {
		t.Error("the deb has the configuration in its place")
	}
	for _, path := range append(slices.Clone(expected), "/usr/share/tutti/tutti.conf") {
		if !strings.Contains(contents, " ."+path+"\n") {
			t.Errorf("the deb lacks %s", path)
		}
	}
	for line := range strings.Lines(contents) {
		if !strings.Contains(line, " root/root ") || !strings.Contains(line, " 2023-11-14 ") {
			t.Errorf("owner or time: %s", line)
		}
	}
}

// The programs and the configuration, unpacked, are those that were packed.
func TestDebRuns(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	says(t, "dpkg-deb", "-x", pack(t, ".deb"), dir)
	if said := says(t, dir+"/usr/bin/tutti", "-version"); !strings.Contains(said, version) {
		t.Errorf("tutti -version: %s", said)
	}
	// The shipped file says everything but what the node is for.
	conf := filepath.Join(dir, "usr/share/tutti/tutti.conf")
	said := says(t, dir+"/usr/bin/tutti", "config", "check", "-config", conf, "-orchestrator", "-transcoder")
	if !strings.Contains(said, "/var/lib/tutti") || !strings.Contains(said, "The configuration is valid") {
		t.Errorf("config check: %s", said)
	}
	cmd := exec.Command(dir+"/usr/bin/tutti", "-config", conf)
	if out, err := cmd.CombinedOutput(); cmd.ProcessState.ExitCode() != 2 {
		t.Errorf("a node without roles ended with %v, want status 2, after which the unit does not try again\n%s", err, out)
	}
}

func TestRPM(t *testing.T) {
	t.Parallel()
	rpm, db := pack(t, ".rpm"), t.TempDir()
	query := func(args ...string) string {
		said, err := runTool(t, "rpm", append([]string{"--dbpath", db, "-qp"}, append(args, rpm)...)...)
		if err != nil {
			t.Fatalf("rpm %v: %v: %s", args, err, said)
		}
		return said
	}
	if said := query("--qf", "%{NAME} %{LICENSE} %{BUILDHOST} %{BUILDTIME}\n"); said != "tutti GPL-3.0-or-later "+
		"localhost "+epoch+"\n" {
		t.Errorf("the rpm is %s", said)
	}
	if said := query("-R"); !strings.Contains(said, "glibc >= 2.") {
		t.Errorf("the rpm requires %s", said)
	}
	list, conf := query("-l"), query("-c")
	for _, path := range append(slices.Clone(expected), "/etc/tutti/tutti.conf") {
		if !strings.Contains(list, path+"\n") {
			t.Errorf("the rpm lacks %s", path)
		}
	}
	if conf != "/etc/tutti/tutti.conf\n" {
		t.Errorf("configuration files: %s", conf)
	}
}

// The scripts are plain shell, never start the service and never remove the state.
func TestScripts(t *testing.T) {
	t.Parallel()
	scripts, err := filepath.Glob(root + "/deploy/nfpm/scripts/*.sh")
	if err != nil || len(scripts) != 3 {
		t.Fatalf("%v, %v", scripts, err)
	}
	for _, path := range scripts {
		says(t, "sh", "-n", path)
		text := read(t, path)
		for _, never := range []string{"systemctl start", "enable --now", "restart", "rm -", "userdel"} {
			if strings.Contains(text, never) {
				t.Errorf("%s has %q", path, never)
			}
		}
	}
}

// The local chain that docs/become-an-orchestrator.md is rehearsed on is a package of its
// own, of the same version, and runs.
func TestTools(t *testing.T) {
	t.Parallel()
	deb, dir := packTools(t, ".deb"), t.TempDir()
	info := says(t, "dpkg-deb", "--info", deb)
	for _, want := range []string{"Package: tutti-tools\n", "Architecture: " + architecture() + "\n",
		"License: GPL-3.0-or-later\n"} {
		if !strings.Contains(info, want) {
			t.Errorf("the deb does not say %q:\n%s", want, info)
		}
	}
	if strings.Contains(says(t, "dpkg-deb", "--contents", pack(t, ".deb")), "tutti_devnet") {
		t.Error("the local chain is in the node's package, too")
	}
	for line := range strings.Lines(says(t, "dpkg-deb", "--contents", deb)) {
		if !strings.Contains(line, " root/root ") || !strings.Contains(line, " 2023-11-14 ") {
			t.Errorf("owner or time: %s", line)
		}
	}
	says(t, "dpkg-deb", "-x", deb, dir)
	if said := says(t, dir+"/usr/bin/tutti_devnet", "-help"); !strings.Contains(said, "usage: tutti_devnet") {
		t.Errorf("tutti_devnet -help: %s", said)
	}
	if read(t, dir+"/usr/share/doc/tutti-tools/copyright") != read(t, root+"/deploy/nfpm/copyright") {
		t.Error("the copyright is another one")
	}
	said, err := runTool(t, "rpm", "--dbpath", t.TempDir(), "-qpl", packTools(t, ".rpm"))
	if err != nil || !strings.Contains(said, "/usr/bin/tutti_devnet\n") {
		t.Errorf("the rpm has %s, %v", said, err)
	}
	if !strings.Contains(read(t, strings.TrimSuffix(pack(t, ".deb"), ".deb")+".cdx.json"), `"name": "tutti_devnet"`) {
		t.Error("the list of parts lacks tutti_devnet")
	}
}

// A purge removes the configuration and the copies that package managers and editors
// made of it. What the operator put next to it and the state stay.
func TestPurge(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	put := func(path string) {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(dir, path)), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, path), []byte("x"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	conf := "etc/tutti/tutti.conf"
	copies := []string{conf, conf + ".dpkg-old", conf + ".dpkg-dist", conf + ".dpkg-new", conf + ".dpkg-bak", conf +
		".dpkg-tmp",
		conf + ".ucf-old", conf + ".ucf-dist", conf + ".ucf-new", conf + ".bak", conf + "~"}
	purge := func(word string) {
		cmd := exec.Command("sh", root+"/deploy/nfpm/scripts/postremove.sh", word)
		cmd.Env = append(os.Environ(), "DPKG_ROOT="+dir)
		if said, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, said)
		}
	}
	left := func(path string) bool { _, err := os.Stat(filepath.Join(dir, path)); return err == nil }
	for _, c := range copies {
		put(c)
	}
	put("etc/tutti/aiModels.json")
	put("var/lib/tutti/devnet/tutti.db")
	purge("remove")
	for _, c := range copies {
		if !left(c) {
			t.Errorf("a removal takes %s", c)
		}
	}
	purge("purge")
	for _, c := range copies {
		if left(c) {
			t.Errorf("a purge leaves %s", c)
		}
	}
	if !left("etc/tutti/aiModels.json") || !left("var/lib/tutti/devnet/tutti.db") {
		t.Error("a purge takes what is not the package's")
	}
	if err := os.Remove(filepath.Join(dir, "etc/tutti/aiModels.json")); err != nil {
		t.Fatal(err)
	}
	if purge("purge"); left("etc/tutti") {
		t.Error("a purge leaves the empty folder")
	}
}

// The documentation that a unit names is in the package, and the unit's type is the one
// that operations.md describes.
func TestUnitsNameWhatIsThere(t *testing.T) {
	t.Parallel()
	contents := says(t, "dpkg-deb", "--contents", pack(t, ".deb"))
	operations := read(t, root+"/docs/operations.md")
	for _, unit := range []string{"tutti.service", "tutti@.service"} {
		text := read(t, systemd+unit)
		for _, page := range regexp.MustCompile(`man:(\w+)\((\d)\)`).FindAllStringSubmatch(text, -1) {
			if path := "./usr/share/man/man" + page[2] + "/" + page[1] + "." + page[2] +
				".gz\n"; !strings.Contains(contents, path) {
				t.Errorf("%s names %s, which the package has not", unit, page[0])
			}
		}
		for _, page := range regexp.MustCompile(`file:///(\S+)`).FindAllStringSubmatch(text, -1) {
			if !strings.Contains(contents, " ./"+page[1]+"\n") {
				t.Errorf("%s names %s, which the package has not", unit, page[0])
			}
		}
		kind := regexp.MustCompile(`(?m)^Type=.*$`).FindString(text)
		if !strings.Contains(operations, "`"+kind+"`") {
			t.Errorf("%s has %s, and operations.md describes another type", unit, kind)
		}
	}
}

func TestChecksums(t *testing.T) {
	t.Parallel()
	cmd := exec.Command("sha256sum", "--strict", "-c", "SHA256SUMS-"+architecture())
	cmd.Dir = made
	if said, err := cmd.CombinedOutput(); err != nil || strings.Count(string(said), ": OK\n") != 8 {
		t.Errorf("%v: %s", err, said)
	}
}
