package guides

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// outside are the programs that are not run, because they need what a sandbox has not,
// with the reason and with what is checked of the command instead.
var outside = map[string]struct {
	why   string
	check func(w *walk, command string)
}{
	"apt":        {"changes the machine's packages; test/packages unpacks what is installed", nil},
	"systemctl":  {"needs systemd as process 1; test/packages judges the units", (*walk).units},
	"journalctl": {"needs systemd's journal", nil},
	"docker": {"needs a Docker Engine and the image; test/packages takes the image apart",
		(*walk).container},
	"kubectl":    {"needs a cluster; test/kubernetes builds every folder", (*walk).folder},
	"createuser": {"needs a PostgreSQL server; test/postgres has one", nil},
	"createdb":   {"needs a PostgreSQL server; test/postgres has one", nil},
	"ffplay":     {"needs a screen; what it would play is fetched", (*walk).playlist},
	"make":       {"takes minutes; that the target exists is looked up", (*walk).target},
	"chown":      {"needs the user that the package makes", nil},
	"mail":       {"sends mail", nil},
	"openssl":    {"asks a model server behind TLS; test/e2e has one with a certificate of its own", nil},
	"sed":        {"takes the certificate out of what openssl prints", nil},
	"tar":        {"unpacks what make gpukit writes; make gpurehearsal does so", nil},
	"tutti-gpukit/gpukit.sh": {"takes minutes on a GPU; test/gpu/kit runs it on scripts, and make gpurehearsal as it is",
		(*walk).kit},
}

// needs are parts of our own commands that the sandbox has not. Such a command is
// checked by `tutti config check` with the same options, and not started.
var needs = map[string]string{
	" -gpu ":   "needs a GPU; test/gpu has one made of the CPU",
	" -store ": "needs a PostgreSQL server; test/postgres starts nodes on one",
}

// harmless are programs of every system that the guides may use.
var harmless = []string{"=", "cat", "cd", "chmod", "cp", "curl", "echo", "grep", "head", "base64", "install", "jq",
	"ln", "ls", "mkdir", "node", "printf", "python3", "tail", "exit", "["}

// programs of ours are started as they stand.
var programsOfOurs = []string{"tutti", "tutti_cli", "tutti_bench", "tutti_devnet"}

// unknown says why a command is not known; "" is a command that is.
func unknown(command string) string {
	names := programs(command)
	if len(names) == 0 {
		return "it starts nothing"
	}
	for _, name := range names {
		_, listed := outside[name]
		if !listed && !slices.Contains(harmless, name) && !slices.Contains(programsOfOurs, name) {
			return name + " is no program that this test knows: run it, or list it in outside_test.go with the reason"
		}
	}
	return ""
}

var unit = regexp.MustCompile(`\btutti[a-z-]*(@\w*)?(\.socket|\.service)?\b`)

// units finds the unit files that a command of systemd names.
func (w *walk) units(command string) {
	for _, name := range unit.FindAllString(uncommented(command), -1) {
		base, _, template := strings.Cut(strings.TrimSuffix(name, ".service"), "@")
		if template {
			base += "@"
		}
		if !strings.HasSuffix(base, ".socket") {
			base += ".service"
		}
		if _, err := os.Stat(filepath.Join(tree, "deploy/systemd", base)); err != nil {
			w.t.Errorf("%s: %v", command, err)
		}
	}
}

var image = regexp.MustCompile(`^tutti:\d`)

// container checks what docker is to start in a container: options of a node, or a
// command of ours.
func (w *walk) container(command string) {
	words := strings.Fields(strings.ReplaceAll(uncommented(command), "\\\n", " "))
	for i, word := range words {
		switch {
		case image.MatchString(word) && i+1 < len(words):
			w.check("tutti " + strings.Join(words[i+1:], " "))
			return
		case word == "tutti_cli" && words[1] == "exec":
			w.shell(strings.Join(words[i:], " "))
			return
		}
	}
}

// kit looks whether the script is in the kit, and in the archive's folder.
func (w *walk) kit(command string) {
	packed, err := os.ReadFile(filepath.Join(tree, "test/gpu/kit/pack.sh"))
	if err != nil || !strings.Contains(string(packed), `"$kit/gpukit.sh"`) ||
		!strings.HasPrefix(command, "tutti-gpukit/") {
		w.t.Errorf("%s: %v", command, err)
	}
}

// folder looks whether the folder that kubectl is given exists.
func (w *walk) folder(command string) {
	for _, word := range strings.Fields(uncommented(command)) {
		if strings.HasPrefix(word, "deploy/") {
			if _, err := os.Stat(filepath.Join(tree, word, "kustomization.yaml")); err != nil {
				w.t.Errorf("%s: %v", command, err)
			}
		}
	}
}

var address = regexp.MustCompile(`http://\S+\.m3u8`)

// playlist fetches what a player would play.
func (w *walk) playlist(command string) { w.shell("curl " + address.FindString(command)) }

// target looks for the targets in the Makefile.
func (w *walk) target(command string) {
	makefile, err := os.ReadFile(filepath.Join(tree, "Makefile"))
	if err != nil {
		w.t.Fatal(err)
	}
	_, targets, _ := strings.Cut(uncommented(command), "make ")
	for _, word := range strings.Fields(targets) {
		if !strings.Contains(word, "=") && !strings.Contains(string(makefile), "\n"+word+":") {
			w.t.Errorf("%s: the Makefile has no target %s", command, word)
		}
	}
}

// Every exception has its reason, and is still one: a program that no guide names is
// not to be excused.
func TestExceptionsAreUsed(t *testing.T) {
	t.Parallel()
	named := map[string]bool{}
	for _, blocks := range documents(t) {
		for _, b := range blocks {
			for _, c := range b.commands() {
				for _, p := range programs(c) {
					named[p] = true
				}
			}
		}
	}
	for name, row := range outside {
		if !named[name] || row.why == "" {
			t.Errorf("%s is excused (%s), and no guide names it", name, row.why)
		}
	}
}
