package payments

import (
	"crypto/rand"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/common"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/eth/account"
	"github.com/tuttinode/tutti/test/devnet"
	"github.com/tuttinode/tutti/test/harness"
)

// party is one node with an account of its own, over all lives of its process.
type party struct {
	t       *testing.T
	name    string
	dir     string
	account core.Address
	// admin is its admin API, front where others reach it.
	admin, front string
	args         []string
	proc         *harness.Process
	// lives are all processes there were.
	lives []*harness.Process
}

const passphrase = "open sesame"

// newParty makes a data directory with an account that has 10 ETH.
func newParty(t *testing.T, chain *devnet.Chain, name string) *party {
	t.Helper()
	p := &party{t: t, name: name, dir: t.TempDir(), admin: harness.Address(t), front: harness.Address(t)}
	pass := filepath.Join(p.dir, "passphrase")
	if err := os.WriteFile(pass, []byte(passphrase), 0o600); err != nil {
		t.Fatal(err)
	}
	e, err := account.Open(filepath.Join(p.dir, "keystore"), devnet.KeyCost).Create(core.NewSecret(passphrase),
		rand.Reader, time.Now())
	if err != nil {
		t.Fatal(err)
	}
	p.account = e.Address
	ether, err := core.ParseEther("10")
	if err != nil {
		t.Fatal(err)
	}
	if err := chain.Control.Fund(t.Context(), common.Address(p.account), ether); err != nil {
		t.Fatal(err)
	}
	p.args = []string{"-network", "devnet", "-ethUrl", strings.Join(chain.Info.Endpoints, ","), "-ethPassword", pass,
		"-dataDir", p.dir,
		"-cliAddr", p.admin, "-blockPollingInterval", "1s", "-v", "6"}
	return p
}

// start starts the process and waits until it serves.
func (p *party) start() {
	p.t.Helper()
	p.proc = harness.Start(p.t, filepath.Join(bin, "tutti"), p.args...)
	p.lives = append(p.lives, p.proc)
	p.proc.WaitHTTP("http://" + p.admin + "/healthz")
}

// stop ends the process in order, or kills it.
func (p *party) stop(kill bool) {
	p.t.Helper()
	if kill {
		p.proc.Signal(syscall.SIGKILL)
	} else {
		p.proc.Signal(syscall.SIGTERM)
	}
	if status := p.proc.Exit(60 * time.Second); status != 0 && !kill {
		p.t.Fatalf("%s ended with status %d:\n%s", p.name, status, tail(p.proc.Log()))
	}
}

func (p *party) restart(kill bool) {
	p.t.Helper()
	p.stop(kill)
	p.start()
}

// cli runs tutti_cli on the node until it succeeds: a round may be between two
// others.
func (p *party) cli(words ...string) {
	p.t.Helper()
	args := append([]string{"--url", "http://" + p.admin, "--token-file", filepath.Join(p.dir, "admin.token"), "--yes",
		"--no-color"}, words...)
	var last string
	p.proc.Wait("tutti_cli "+strings.Join(words, " "), 90*time.Second, func() bool {
		text, status := harness.Output(p.t, filepath.Join(bin, "tutti_cli"), args...)
		if status != 0 && text != last {
			p.t.Logf("tutti_cli %v: %d\n%s", words, status, text)
			last = text
		}
		return status == 0
	})
}

// said are the lines of the party's logs, over all its lives, that have a word.
func (p *party) said(word string) string {
	var b strings.Builder
	for _, life := range p.lives {
		for line := range strings.Lines(life.Log()) {
			if strings.Contains(line, word) {
				b.WriteString(line)
			}
		}
	}
	return b.String()
}

func tail(s string) string { return s[max(0, len(s)-4000):] }
