package machine

import (
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/tuttinode/tutti/test/harness"
)

const secret = "the right secret"

// orchestrator wants the secret and a certificate of the authority from its workers.
func orchestrator(t *testing.T, a *authority) (node *harness.Process, addr, cert string) {
	t.Helper()
	dir, addr, admin := t.TempDir(), harness.Address(t), harness.Address(t)
	node = harness.Start(t, binary, "-orchestrator", "-network", "offchain", "-dataDir", dir, "-serviceAddr", addr,
		"-cliAddr", admin, "-orchSecret", secret, "-workerCA", a.file)
	node.WaitHTTP("http://" + admin + "/healthz")
	return node, addr, filepath.Join(dir, "cert.pem")
}

func worker(t *testing.T, orchestrator, secret string, more ...string) *harness.Process {
	t.Helper()
	return harness.Start(t, binary, append([]string{"-transcoder", "-network", "offchain", "-dataDir", t.TempDir(),
		"-orchAddr", orchestrator, "-orchSecret", secret, "-cliAddr", harness.Address(t)}, more...)...)
}

// TestWorkersOfStrangers: only a worker with the secret and a certificate of the authority
// becomes a worker; the others end with a named error, and the orchestrator's log
// has them, without the secret.
func TestWorkersOfStrangers(t *testing.T) {
	t.Parallel()
	ours, theirs, impostor := newAuthority(t, "ours"), newAuthority(t, "theirs"), newAuthority(t, "ours")
	node, addr, _ := orchestrator(t, ours)
	for _, row := range []struct {
		name, secret string
		certificate  []string
		code, log    string
	}{
		{"wrong secret", "a wrong secret", ours.worker(t), "WorkerSecretRefused", "RemoteSecretWrong"},
		{"no certificate", secret, nil, "WorkerCertificateRefused", "WorkerCertificateRefused"},
		{"another authority", secret, theirs.worker(t), "WorkerCertificateRefused", "WorkerCertificateRefused"},
	} {
		w := worker(t, addr, row.secret, row.certificate...)
		if status := w.Exit(20 * time.Second); status == 0 || !strings.Contains(w.Log(), row.code) {
			t.Errorf("%s: exit status %d, want %s in\n%s", row.name, status, row.code, w.Log())
		}
		node.Wait("the log to have: "+row.name, 10*time.Second, func() bool {
			return strings.Contains(node.Log(), row.log)
		})
	}
	w := worker(t, addr, secret, impostor.worker(t)...)
	w.Wait("an authority of the same name to be refused", 20*time.Second, func() bool {
		return strings.Contains(w.Log(), "WorkerNotRegistered")
	})
	if log := node.Log(); strings.Contains(log, taken) {
		t.Errorf("a stranger became a worker:\n%s", log)
	}
	if log := node.Log(); strings.Contains(log, secret) || strings.Contains(log, "a wrong secret") {
		t.Errorf("a secret is in the log:\n%s", log)
	}
	worker(t, addr, secret, ours.worker(t)...)
	node.Wait("the worker to be taken", 20*time.Second, func() bool { return strings.Contains(node.Log(), taken) })
}

// taken is what an orchestrator logs of a worker that it works with.
const taken = "transcoder registered worker="

// TestOrchestratorOfAStranger: a worker with -orchCA gives no secret to an orchestrator
// that shows another certificate, and works for the one that shows it.
func TestOrchestratorOfAStranger(t *testing.T) {
	t.Parallel()
	ours, theirs := newAuthority(t, "ours"), newAuthority(t, "theirs")
	node, addr, cert := orchestrator(t, ours)
	w := worker(t, addr, secret, append(ours.worker(t), "-orchCA", theirs.file)...)
	w.Wait("the certificate to be refused", 20*time.Second, func() bool {
		return strings.Contains(w.Log(), "WorkerNotRegistered") && strings.Contains(w.Log(), "certificate")
	})
	if strings.Contains(node.Log(), taken) {
		t.Errorf("the worker works for an orchestrator that it cannot know:\n%s", node.Log())
	}
	worker(t, addr, secret, append(ours.worker(t), "-orchCA", cert)...)
	node.Wait("the worker to be taken", 20*time.Second, func() bool { return strings.Contains(node.Log(), taken) })
}
