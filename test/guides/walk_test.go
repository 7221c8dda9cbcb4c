package guides

import (
	"bytes"
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/tuttinode/tutti/test/harness"
)

// walk is one guide's way through its sandbox: a home, a working folder and an
// /etc/tutti of its own, in the world that all guides share.
type walk struct {
	t     *testing.T
	world *world
	name  string
	root  string
	// lives says that the guide's node is kept to the end, and asked by its commands.
	lives bool
	// admin, gateway and service are the addresses that the guide's 7935 (or 5935),
	// 9935 and 8935 stand for; rpc and control those of its own test chain.
	admin, gateway, service, rpc, control string
	// said are the variables that its commands have set.
	said []string
	// key is the API key that was made.
	key string
	// node is the node that lives.
	node *harness.Process
}

// lives are the guides that are walked with a node of their own.
var lives = map[string]bool{"docs/quickstart.md": true, "docs/gateway.md": true, "docs/ai-operator.md": true}

func newWalk(t *testing.T, world *world, name string) *walk {
	w := &walk{t: t, world: world, name: name, root: t.TempDir(), lives: lives[name],
		admin: world.admin, gateway: world.gateway, service: world.service, rpc: harness.Address(t),
		control: harness.Address(t)}
	if w.lives {
		w.admin, w.service = harness.Address(t), harness.Address(t)
		if name == "docs/gateway.md" {
			w.gateway = harness.Address(t)
		}
	}
	for _, dir := range []string{"bin", "home", "work", "etc", "state", "usr/bin", "usr/local/bin"} {
		w.must(os.MkdirAll(filepath.Join(w.root, dir), 0o755))
	}
	w.furnish()
	return w
}

func (w *walk) must(err error) {
	w.t.Helper()
	if err != nil {
		w.t.Fatal(err)
	}
}

func (w *walk) path(parts ...string) string {
	return filepath.Join(append([]string{w.root}, parts...)...)
}

// furnish puts into the sandbox what the guides take for granted: the programs, a
// configuration, a passphrase, a models file, a segment, a data directory.
func (w *walk) furnish() {
	w.program("tutti_cli", `exec `+filepath.Join(bin, "tutti_cli")+` --url http://`+w.admin+` "$@"`)
	w.program("tutti_bench", `exec `+filepath.Join(bin, "tutti_bench")+` "$@"`)
	w.program("tutti", `exec `+filepath.Join(bin, "tutti")+` "$@" $GUIDE_MORE`)
	w.program("tutti_devnet", `if [ "$1" = ctl ]; then shift; exec `+filepath.Join(bin,
		"tutti_devnet")+` ctl -control http://`+w.control+` "$@"; fi
exec `+filepath.Join(bin, "tutti_devnet")+` -listen `+w.rpc+` -control `+w.control+` "$@"`)
	w.program("curl", `exec `+w.world.curl+` --fail-with-body -sS --max-time 30 "$@"`)
	w.must(os.Symlink(w.path("bin"), w.path("work", "bin")))
	for _, name := range []string{"passphrase", "pool-secret", "tutti.conf", "aiModels.json"} {
		text, err := os.ReadFile(filepath.Join(w.world.etc, name))
		w.must(err)
		w.must(os.WriteFile(w.path("etc", name), text, 0o600))
		w.must(os.WriteFile(w.path("work", name), text, 0o600))
	}
	if !w.lives {
		w.must(os.MkdirAll(w.path("home/.tutti/devnet"), 0o700))
		w.must(os.WriteFile(w.path("home/.tutti/devnet/admin.token"), []byte(w.world.token), 0o600))
	}
	// A node has run off chain before, with an account.
	w.must(os.MkdirAll(w.path("home/.tutti/offchain/keystore"), 0o700))
	for _, network := range []string{"devnet", mainNetwork} {
		w.leaveBehind(w.path("home/.lpData", network))
	}
	for i, s := range w.world.segments {
		w.must(os.WriteFile(w.path("work", string(rune('0'+i))+".ts"), s.Data, 0o600))
	}
}

func (w *walk) program(name, script string) {
	w.must(os.WriteFile(w.path("bin", name), []byte("#!/bin/bash\n"+script+"\n"), 0o755))
}

// mainNetwork is the network of the guides.
const mainNetwork = "arbitrum-one-mainnet"

// onDirectory are commands that read and write a data directory alone. They are run with
// the network as it is typed: the test chain needs no -ethUrl, and would hide that such a
// command asks for one.
var onDirectory = []string{"tutti migrate", "tutti key", "tutti ledger"}

// networkOf is the network that a command is run with.
func networkOf(command string) string {
	if slices.Contains(onDirectory, verb(command)) {
		return mainNetwork
	}
	return "devnet"
}

// here writes a command as the sandbox has it: the network is the test chain, addresses
// are this machine's, and folders of the system are the sandbox's.
func (w *walk) here(command string) string {
	for _, r := range []struct{ is, as string }{
		{mainNetwork, networkOf(command)},
		{"https://one.example.org/KEY,https://other.example.org", w.world.chain.URL(0)},
		{"https://one.example.org/KEY", w.world.chain.URL(0)},
		{"https://…", w.world.chain.URL(0)},
		{"http://127.0.0.1:8000", w.world.runner},
		{"http://127.0.0.1:4318", w.world.collector},
		{"127.0.0.1:9935", w.gateway},
		{"127.0.0.1:7935", w.admin},
		{"127.0.0.1:5935", w.admin},
		{"127.0.0.1:8935", w.service},
		{"https://media.example.org:8935", "https://" + w.service},
		{"/etc/tutti/", w.path("etc") + "/"},
		{"/var/lib/tutti", w.path("state")},
		{"/usr/bin/", w.path("usr/bin") + "/"},
		{"/usr/local/bin/", w.path("usr/local/bin") + "/"},
		{"/home/livepeer/", w.path("home") + "/"},
		{"tk-…", w.key},
		{" … ", " -transcoder -serviceAddr 127.0.0.1:8935 -pricePerUnit 1200 -ethUrl " + w.world.chain.URL(0) + " "},
		{"sudo -u tutti ", ""}, {"sudo ", ""},
	} {
		command = strings.ReplaceAll(command, r.is, r.as)
	}
	if rest, ok := strings.CutSuffix(command, " …"); ok {
		command = rest + " -serviceAddr 127.0.0.1:8935 -pricePerUnit 1200 -ethUrl " + w.world.chain.URL(0)
	}
	return command
}

// shell runs a command to its end; it must succeed.
func (w *walk) shell(command string) string {
	w.t.Helper()
	out, status := w.bash(w.here(command))
	if strings.Contains(out, "ConfirmationMissing") { // it asks a person, that says yes
		out, status = w.bash(w.here(uncommented(command)) + " --yes")
	}
	if !mayEnd(command, status) {
		w.t.Errorf("%s: %s\nends with %d:\n%s", w.name, command, status, end(out))
	}
	if key := apiKey.FindString(out); key != "" {
		w.key = key
	}
	return out
}

// end is the last of what was printed.
func end(out string) string {
	lines := strings.Split(out, "\n")
	return strings.Join(lines[max(0, len(lines)-20):], "\n")
}

var apiKey = regexp.MustCompile(`tk-[A-Za-z0-9_-]{20,}`)

// bash runs a line of the sandbox.
func (w *walk) bash(line string) (string, int) {
	w.t.Helper()
	ctx, cancel := context.WithTimeout(w.t.Context(), 60*time.Second)
	defer cancel()
	var out bytes.Buffer
	cmd := exec.CommandContext(ctx, "bash", "-c", strings.Join(append(w.said, line), "\n"))
	cmd.Dir, cmd.Env, cmd.Stdout, cmd.Stderr = w.path("work"), w.environ(), &out, &out
	err := cmd.Run()
	if exit, ok := errors.AsType[*exec.ExitError](err); ok {
		return out.String(), exit.ExitCode()
	}
	w.must(err)
	return out.String(), 0
}

func (w *walk) environ() []string {
	env := os.Environ()
	if !w.lives {
		env = append(env, "TUTTI_ADMIN_TOKEN="+w.world.token)
	}
	return append(env, "HOME="+w.path("home"), "PATH="+w.path("bin")+":"+os.Getenv("PATH"), "NO_COLOR=1",
		"NODE_PATH="+w.world.modules)
}

// mayEnd says whether a command may end with a status: 0, or what it says about a
// machine that is not the guide's.
func mayEnd(command string, status int) bool {
	for prefix, most := range map[string]int{
		"tutti doctor":     2, // warnings and failures are about the sandbox; 3 would be the command line
		"tutti gpu list":   1, // there is no GPU
		"tutti alert test": 1, // nothing listens at the address
	} {
		if strings.HasPrefix(strings.TrimPrefix(unprivileged(command), "bin/"), prefix) {
			return status <= most
		}
	}
	return status == 0
}

// check has `tutti config check` validate the options of a node that cannot be started here.
// That this machine has no GPU is not the options' fault.
func (w *walk) check(command string) {
	w.t.Helper()
	_, flags, _ := strings.Cut(unprivileged(uncommented(command)), " ")
	out, status := w.bash(w.here("tutti config check " + strings.TrimSpace(flags)))
	if status != 0 && !strings.Contains(out, "NoDevices") {
		w.t.Errorf("%s: %s\n`tutti config check` ends with %d:\n%s", w.name, command, status, end(out))
	}
}
