package e2e

import (
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/tuttinode/tutti/test/harness"
)

// alone runs a script in a process namespace of its own, so that the nodes of other tests
// are not seen. $tutti is the program.
func alone(t *testing.T, script string, env ...string) (string, int) {
	t.Helper()
	if _, err := exec.LookPath("unshare"); err != nil {
		t.Fatal(err)
	}
	flags := []string{"--pid", "--fork", "--mount-proc", "--kill-child"}
	if os.Geteuid() != 0 {
		flags = append(flags, "--map-root-user")
	}
	words := append([]string{"-i", "PATH=" + os.Getenv("PATH"), "HOME=" + t.TempDir(), "tutti=" + binary}, env...)
	return harness.Output(t, "env", append(append(append(words, "unshare"), flags...), "bash", "-c", script)...)
}

// begin starts a node in the background and waits until it serves.
const begin = `begin() { "$@" >node.log 2>&1 & node=$!
	for i in $(seq 200); do curl -fsS "http://$admin/-/healthy" >/dev/null 2>&1 && return; kill -0 $node || { cat ` +
	`node.log; exit 98; }; read -t 0.1 <> <(:); done; exit 97; }
`

// Doctor without flags, alongside a running node, looks at that node as it was started: its
// flags and its environment. Its last line names what is worst.
func TestDoctorBesideANode(t *testing.T) {
	t.Parallel()
	addr, admin := harness.Address(t), harness.Address(t)
	script := begin + `cd "$HOME"
export admin=` + admin + `
TUTTI_MAX_SESSIONS=7000 begin "$tutti" -orchestrator -transcoder ` +
		`-serviceAddr ` + addr + ` -httpAddr ` + addr + ` -cliAddr $admin -dataDir "$HOME/data"
env -u NO "$tutti" doctor -ignore host.command,storage.clock
echo "status $?"
kill $node; wait $node`
	said, _ := alone(t, script)
	for _, want := range []string{
		"without flags: the configuration of the running node, process ", "alongside the running node", "7000 on ",
		"worst: SessionsAboveHardware; tutti help SessionsAboveHardware says more", "status 1\n",
	} {
		if !strings.Contains(said, want) {
			t.Errorf("%q is not in", want)
		}
	}
	if strings.Contains(said, "NoRole") {
		t.Error("it looks at no node")
	}
	if t.Failed() {
		t.Log(said)
	}
}
