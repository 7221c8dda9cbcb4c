package guides

import (
	"strings"
	"syscall"
	"time"

	"github.com/tuttinode/tutti/test/harness"
)

// startsNode says whether a command is one of a node: our program with options, and no
// verb.
func startsNode(command string) bool {
	rest, ok := strings.CutPrefix(strings.TrimPrefix(unprivileged(command), "bin/"), "tutti ")
	rest = strings.TrimSpace(rest)
	return ok && strings.HasPrefix(rest, "-") && !strings.HasPrefix(strings.TrimPrefix(rest, "-"), "version")
}

// startsChain says whether a command is one of the test chain.
func startsChain(command string) bool {
	rest, ok := strings.CutPrefix(strings.TrimPrefix(uncommented(command), "bin/"), "tutti_devnet")
	return ok && !strings.HasPrefix(strings.TrimSpace(rest), "ctl")
}

// start starts a guide's node for real, waits until it is well, and ends it, unless the
// guide goes on with it.
func (w *walk) start(command string) {
	w.t.Helper()
	for part, why := range needs {
		if strings.Contains(uncommented(command)+" ", part) {
			w.t.Logf("%s: %s is not started: %s", w.name, command, why)
			w.check(command)
			return
		}
	}
	admin, dir := w.admin, ""
	if !w.lives {
		admin, dir = harness.Address(w.t), w.t.TempDir()
	}
	w.stop()
	w.node = w.launch(command, "GUIDE_MORE="+w.overrides(command, admin, dir))
	w.node.WaitHTTP("http://" + admin + "/-/healthy")
	if !w.lives {
		w.stop()
		return
	}
	w.node.WaitHTTP("http://" + admin + "/-/ready")
	if strings.Contains(command, "-gateway") {
		w.node.WaitHTTP("http://" + w.gateway + "/v1/models/" + modelID)
	}
}

// stop ends the guide's node, which must end in order.
func (w *walk) stop() {
	if w.node == nil {
		return
	}
	w.node.Signal(syscall.SIGTERM)
	if status := w.node.Exit(30 * time.Second); status != 0 {
		w.t.Errorf("%s: a node ends with %d:\n%s", w.name, status, w.node.Log())
	}
	w.node = nil
}

// startChain starts the guide's test chain, for the rest of it.
func (w *walk) startChain(command string) {
	w.launch(command, "GUIDE_MORE=").Wait("the chain", time.Minute, func() bool {
		_, status := w.bash("tutti_devnet ctl info")
		return status == 0
	})
}

func (w *walk) launch(command string, env ...string) *harness.Process {
	line := strings.TrimSuffix(strings.TrimSpace(uncommented(w.here(command))), "&")
	script := append([]string{"cd " + w.path("work")}, w.said...)
	return harness.StartIn(w.t, "bash", append(w.environ(), env...), "-c",
		strings.Join(append(script, "exec "+line), "\n"))
}

// overrides are options that put a node of a guide into the sandbox: the last one of an
// option counts.
func (w *walk) overrides(command, admin, dir string) string {
	has := func(option string) bool {
		return strings.Contains(" "+strings.ReplaceAll(uncommented(command), "\n", " ")+" ", " "+option+" ")
	}
	service, front := w.service, w.gateway
	if !w.lives {
		service, front = harness.Address(w.t), harness.Address(w.t)
	}
	work := w.world.service
	if w.lives {
		work = w.world.second
	}
	more := []string{"-cliAddr", admin, "-moveFrom", "none"}
	for _, o := range []struct {
		when string
		add  []string
	}{
		{"-serviceAddr", []string{"-serviceAddr", service, "-httpAddr", service}},
		{"-gateway", []string{"-httpAddr", front}},
		{"-redeemer", []string{"-httpAddr", front}},
		{"-remoteSigner", []string{"-httpAddr", front}},
		{"-remoteSignerUrl", []string{"-remoteSignerUrl", "http://" + w.world.signer}},
		{"-orchAddr", []string{"-orchAddr", work}},
		{"-orchSecret", []string{"-orchSecret", w.world.file("pool-secret")}},
		{"-network", []string{"-network", "devnet", "-ethKeystorePath", w.world.keystore, "-ethPassword",
			w.world.file("passphrase")}},
		{"-ethUrl", []string{"-ethUrl", w.ethURL()}},
	} {
		if has(o.when) {
			more = append(more, o.add...)
		}
	}
	if dir != "" && !has("-dataDir") {
		more = append(more, "-dataDir", dir)
	}
	return strings.Join(more, " ")
}

// ethURL is the guide's own chain where it has started one.
func (w *walk) ethURL() string {
	if w.name == "docs/devnet.md" {
		return "http://" + w.rpc
	}
	return w.world.chain.URL(0)
}
