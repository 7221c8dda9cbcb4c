package money

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/tuttinode/tutti/core/adminapi"
	"github.com/tuttinode/tutti/core/capability"
	"github.com/tuttinode/tutti/server/rpc"
	"github.com/tuttinode/tutti/test/harness"
)

// ownDisk puts the data directory of a node that is stopped on a small disk of its own.
func (w *world) ownDisk(options string) {
	w.Helper()
	kept := filepath.Join(w.TempDir(), "kept")
	copyDir(w.T, w.dir, kept)
	w.must(os.RemoveAll(w.dir))
	w.must(os.Mkdir(w.dir, 0o700))
	if err := unix.Mount("none", w.dir, "tmpfs", 0, options); err != nil {
		if errors.Is(err, unix.EPERM) || errors.Is(err, unix.EACCES) {
			w.Skip("this user mounts no disk: ", err)
		}
		w.Fatal(err)
	}
	w.Cleanup(func() { _ = unix.Unmount(w.dir, unix.MNT_DETACH) })
	copyDir(w.T, kept, w.dir)
}

// fill takes what is free on a disk.
func fill(path string) error {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	defer f.Close()
	for size := 1 << 16; size > 0; size /= 2 {
		for err = nil; err == nil; {
			_, err = f.Write(make([]byte, size))
		}
		if !errors.Is(err, syscall.ENOSPC) {
			return err
		}
	}
	return nil
}

// ticketsEach is how many tickets a payment has.
const ticketsEach = 4

// attempts are payments that a node took and refused.
type attempts struct {
	*payer
	info           *rpc.OrchestratorInfo
	taken, refused []*rpc.Payment
}

// send sends a payment.
func (a *attempts) send(payment *rpc.Payment) bool {
	a.Helper()
	status, text := a.ask(a.info, payment, "Count.", 3)
	if status == http.StatusOK {
		a.taken = append(a.taken, payment)
		return true
	}
	a.Logf("refused: %d %s", status, text)
	a.refused = append(a.refused, payment)
	return false
}

// fillUnderWay fills the disk while payments come, until some are refused. It returns the file.
func (a *attempts) fillUnderWay() string {
	a.Helper()
	path, filled, until := filepath.Join(a.dir, "filler"), make(chan error, 1), len(a.refused)+3
	a.send(a.pay(a.info, ticketsEach))
	go func() { filled <- fill(path) }()
	a.Wait("refused payments", 20*time.Second, func() bool {
		a.send(a.pay(a.info, ticketsEach))
		return len(a.refused) >= until
	})
	a.must(<-filled)
	return path
}

// held checks after a start that the books have each payment that was taken, once, and nothing else, and that no
// payment of before can be spent again.
func (a *attempts) held(before int) {
	a.Helper()
	if got, want := a.credits()-before, ticketsEach*len(a.taken); got != want {
		a.Errorf("%d tickets are in the books, want %d", got, want)
	}
	for _, payment := range append(a.taken, a.refused...) {
		if status, text := a.ask(a.info, payment, "Count.", 3); status == http.StatusOK {
			a.Errorf("a payment of before the kill is taken: %s", text)
		}
	}
	fresh := a.offer(wants(capability.LLM))
	a.nonce = 0
	if status, text := a.ask(fresh, a.pay(fresh, ticketsEach), "Count.", 3); status != http.StatusOK {
		a.Errorf("fresh tickets: %d %s", status, text)
	}
}

// verified checks the books of a node that is stopped.
func (w *world) verified() {
	w.Helper()
	if out, status := harness.Output(w.T, filepath.Join(bin, "tutti"), "ledger", "verify", "-network", "devnet",
		"-dataDir", w.dir); status != 0 {
		w.Errorf("the books do not add up: %s", out)
	}
}

// TestAFullDiskAndAKill: the disk fills while payments come, has space again, fills again, and the node is killed then.
// Each answered payment is in the books once, no refused one is, and none can be spent again.
func TestAFullDiskAndAKill(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	p := w.newPayer(5)
	p.served(4)
	w.stop()
	w.ownDisk("size=96m,mode=0700")
	w.start()
	a := &attempts{payer: p, info: p.offer(wants(capability.LLM))}
	p.nonce = 0
	before := w.credits()
	w.must(os.Remove(a.fillUnderWay()))
	w.Wait("payments with space again", 20*time.Second, func() bool { return a.send(a.pay(a.info, ticketsEach)) })
	filler := a.fillUnderWay()
	w.Signal(syscall.SIGKILL)
	w.Exit(20 * time.Second)
	w.must(os.Remove(filler))
	w.verified()
	w.start()
	a.held(before)
}

// TestKillsInAPaidHandover: the old process is killed while another takes its place and payments come.
func TestKillsInAPaidHandover(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	p := w.newPayer(5)
	p.served(4)
	for _, first := range []string{"old", "new"} {
		a := &attempts{payer: p, info: p.offer(wants(capability.LLM))}
		p.nonce = 0
		before := w.credits()
		a.send(a.pay(a.info, ticketsEach))
		next, old := w.upgrade(), w.PID()
		kill := []int{old, next}
		if first == "new" {
			kill = []int{next, old}
		}
		a.send(a.pay(a.info, ticketsEach))
		for _, pid := range kill {
			if err := syscall.Kill(pid, syscall.SIGKILL); err != nil && !errors.Is(err, syscall.ESRCH) {
				t.Fatal(err)
			}
		}
		w.Exit(20 * time.Second)
		w.Wait("the end of the new process", 20*time.Second, func() bool {
			state, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", next))
			return err != nil || strings.Contains(string(state), ") Z ")
		})
		w.verified()
		w.start()
		a.held(before)
	}
}

// upgrade has another process take the node's place, and returns its id.
func (n *node) upgrade() int {
	n.t.Helper()
	token, err := os.ReadFile(filepath.Join(n.dir, adminapi.TokenFile))
	if err != nil {
		n.t.Fatal(err)
	}
	req, err := http.NewRequest(http.MethodPost, "http://"+n.admin+adminapi.PathUpgrade, http.NoBody)
	if err != nil {
		n.t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+strings.TrimSpace(string(token)))
	res, err := harness.Client().Do(req)
	if err != nil {
		n.t.Fatal(err)
	}
	defer res.Body.Close()
	var u adminapi.Upgrade
	if err := json.NewDecoder(res.Body).Decode(&u); err != nil || res.StatusCode != http.StatusOK {
		n.t.Fatal(res.Status, err)
	}
	n.t.Cleanup(func() { _ = syscall.Kill(u.PID, syscall.SIGKILL) })
	return u.PID
}
