package machine

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/tuttinode/tutti/test/harness"
)

// beside runs a script as root while another user's program of the node's name runs with
// flags and an environment of its choice: nothing else runs there, and /etc is empty.
const beside = `set -eu
mount -t tmpfs none /etc
mkdir -m 0755 /etc/tutti
eval "$prepare"
setpriv --reuid 65533 --regid 65533 --clear-groups env -i ` + waits + `=1 LD_DEBUG=libs LD_DEBUG_OUTPUT="$dir/proof" \
	"$dir/tutti" "$@" >/dev/null 2>&1 &
for i in $(seq 100); do
	[ "$(readlink /proc/$!/exe)" != "$dir/tutti" ] || break
	read -t 0.05 <> <(:) || true
done
eval "$script" || true
kill $!`

// runBeside runs script so and returns what it said. prepare is run before the stranger comes.
func runBeside(t *testing.T, dir, prepare, script string, flags ...string) string {
	t.Helper()
	self, err := os.ReadFile("/proc/self/exe")
	if err == nil {
		err = os.WriteFile(filepath.Join(dir, "tutti"), self, 0o755)
	}
	if err != nil {
		t.Fatal(err)
	}
	args := []string{
		"-i", "PATH=" + os.Getenv("PATH"), "HOME=" + t.TempDir(), "tutti=" + binary, "dir=" + dir,
		"prepare=" + prepare, "script=" + script,
		"unshare", "--mount", "--pid", "--fork", "--mount-proc", "--kill-child", "bash", "-c", beside, "sh",
	}
	said, _ := harness.Output(t, "env", append(args, flags...)...)
	return said
}

// strangersFolder is one in which another user may write.
func strangersFolder(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "tutti-stranger")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	if err := os.Mkdir(filepath.Join(dir, "data"), 0o700); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{dir, filepath.Join(dir, "data")} {
		if err := os.Chown(path, stranger, stranger); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Chmod(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	return dir
}

// TestDoctorTakesNoStrangersFlags: root runs doctor without flags while another user's program
// of the node's name runs. Its flags name files of root's, and where to send them; its
// environment what is loaded into root's programs. Root's files are read, sent and changed
// for no stranger, and nothing is loaded.
func TestDoctorTakesNoStrangersFlags(t *testing.T) {
	if os.Getuid() != 0 {
		t.Skip("only root can run a program as another user")
	}
	dir, admin := strangersFolder(t), harness.Address(t)
	_, port, _ := strings.Cut(admin, ":")
	token, other := filepath.Join(t.TempDir(), "token"), filepath.Join(t.TempDir(), "other")
	const secret = "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"
	for path, mode := range map[string]os.FileMode{token: 0o600, other: 0o644} {
		if err := os.WriteFile(path, []byte(secret+"\n"), mode); err != nil {
			t.Fatal(err)
		}
	}
	trap := listenAs(t, stranger, admin)
	said := runBeside(t, dir, "", `cd "$HOME"; "$tutti" doctor bundle -o b.tar.gz; "$tutti" doctor -fix -only secrets`,
		"-orchestrator", "-transcoder", "-serviceAddr", "127.0.0.1:1", "-dataDir", filepath.Join(dir, "data"),
		"-cliAddr", "0.0.0.0:"+port, "-adminToken", token, "-orchSecret", other)
	if got := trap.token(); got != "" {
		t.Errorf("root's file was sent to a stranger: %q", got)
	}
	if info, err := os.Stat(other); err != nil || info.Mode().Perm() != 0o644 {
		t.Errorf("root's file was changed: %v, %v", info.Mode(), err)
	}
	proofs, err := filepath.Glob(filepath.Join(dir, "proof*"))
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range proofs {
		if info, err := os.Stat(path); err == nil && info.Sys().(*syscall.Stat_t).Uid == 0 {
			t.Errorf("root's program was loaded as the stranger's environment says: %s", path)
		}
	}
	if !strings.Contains(said, "is another user's node") {
		t.Error("doctor does not say whose node it leaves alone")
	}
	if t.Failed() {
		t.Log(said)
	}
}

// TestDoctorKnowsTheServicesInstances: of a node that another user runs as the packages'
// services do, root's doctor takes the configuration that root wrote.
func TestDoctorKnowsTheServicesInstances(t *testing.T) {
	if os.Getuid() != 0 {
		t.Skip("only root can run a program as another user")
	}
	dir, addr, admin := strangersFolder(t), harness.Address(t), harness.Address(t)
	conf := "orchestrator\ntranscoder\nserviceAddr " + addr + "\ncliAddr " + admin + "\ndataDir " +
		filepath.Join(dir, "data") + "\n"
	said := runBeside(t, dir, "printf %s '"+conf+"' >/etc/tutti/second.conf", `"$tutti" doctor -only secrets`,
		"-config", "/etc/tutti/second.conf")
	for _, want := range []string{"-config /etc/tutti/second.conf", admin} {
		if !strings.Contains(said, want) {
			t.Errorf("%q is not in\n%s", want, said)
		}
	}
}

// TestInitTakesOverNoStrangersNode: another user has put a node with a key of its own into the
// home directory. Root's setup makes an account instead, unless that node is named.
func TestInitTakesOverNoStrangersNode(t *testing.T) {
	if os.Getuid() != 0 {
		t.Skip("only root looks into other users' homes")
	}
	const account = "00000000000000000000000000000000000000aa"
	script := `set -eu
mount -t tmpfs none /home
old=/home/stranger/.lpData/devnet
mkdir -p $old/keystore
key=UTC--2026-01-01T00-00-00.000000000Z--` + account + `
printf %s '{"address":"` + account + `","crypto":{"cipher":"none"}}' >$old/keystore/$key
chown -R 65533:65533 /home/stranger
init() { HOME="$HOME/$1" "$tutti" init --yes --publicIPLookup none --skipChecks --dir "$HOME/$1/conf" --gpu cpu \
	--role orchestrator --network devnet --ethUrl http://127.0.0.1:1 --serviceAddr 127.0.0.1:8935 \
	--ethPassword "four words are a start" "${@:2}"; }
init plain; echo "keys: $(ls "$HOME"/plain/.tutti/devnet/keystore)"
echo ====
init named --moveFrom $old || true; echo "keys: $(ls "$HOME"/named/.tutti/devnet/keystore)"`
	said, _ := harness.Output(t, "env", "-i", "PATH="+os.Getenv("PATH"), "HOME="+t.TempDir(), "tutti="+binary,
		"unshare", "--mount", "bash", "-c", script)
	plain, named, _ := strings.Cut(said, "====")
	if _, keys, _ := strings.Cut(plain, "keys: "); keys == "" || strings.Contains(keys, account) {
		t.Errorf("the stranger's key was taken over:\n%s", plain)
	}
	if !strings.Contains(plain, "--moveFrom /home/stranger/.lpData/devnet") {
		t.Errorf("it is not said how:\n%s", plain)
	}
	if _, keys, _ := strings.Cut(named, "keys: "); !strings.Contains(keys, account) {
		t.Errorf("the node that was named was not taken over:\n%s", named)
	}
}
