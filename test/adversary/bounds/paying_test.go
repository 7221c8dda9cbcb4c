package bounds

import (
	"context"
	"crypto/rand"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/common"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/eth/account"
	"github.com/tuttinode/tutti/test/adversary"
	"github.com/tuttinode/tutti/test/devnet"
	"github.com/tuttinode/tutti/test/harness"
	"github.com/tuttinode/tutti/transcoder/libav/clip"
)

const (
	passphrase = "open sesame"
	pixelPrice = "9000"
	// strangers are the addresses at work alongside the paying gateway.
	strangers = 50
)

// party is a node with an account on the chain.
type party struct {
	started
	dir     string
	account core.Address
}

// newParty starts a node with an account of 10 ETH. further says what the node does.
func newParty(t *testing.T, chain *devnet.Chain, further func(front string) []string) *party {
	t.Helper()
	p := &party{started: started{front: harness.Address(t), admin: harness.Address(t)}, dir: t.TempDir()}
	pass := filepath.Join(p.dir, "passphrase")
	must(t, os.WriteFile(pass, []byte(passphrase), 0o600))
	e, err := account.Open(filepath.Join(p.dir, "keystore"), devnet.KeyCost).Create(core.NewSecret(passphrase),
		rand.Reader, time.Now())
	must(t, err)
	p.account = e.Address
	ether, err := core.ParseEther("10")
	must(t, err)
	must(t, chain.Control.Fund(t.Context(), common.Address(p.account), ether))
	args := []string{"-network", "devnet", "-ethUrl", strings.Join(chain.Info.Endpoints, ","), "-ethPassword", pass,
		"-dataDir", p.dir,
		"-cliAddr", p.admin, "-blockPollingInterval", "1s"}
	p.Process = harness.Start(t, node, append(args, further(p.front)...)...)
	p.WaitHTTP("http://" + p.admin + "/healthz")
	return p
}

// cli runs tutti_cli on the node until it succeeds: a round may be between two others.
func (p *party) cli(t *testing.T, words ...string) {
	t.Helper()
	args := append([]string{"--url", "http://" + p.admin, "--token-file", filepath.Join(p.dir, "admin.token"), "--yes",
		"--no-color"}, words...)
	p.Wait("tutti_cli "+strings.Join(words, " "), 60*time.Second, func() bool {
		_, status := harness.Output(t, filepath.Join(bin, "tutti_cli"), args...)
		return status == 0
	})
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// paid starts a chain, an active orchestrator and a gateway with a deposit.
func paid(t *testing.T) (o, g *party) {
	t.Helper()
	const l1Time = 100 * time.Millisecond
	chain := devnet.Start(t, devnet.Options{Endpoints: 2, BlockTime: l1Time, L1BlockTime: l1Time, RoundLength: 600,
		Args: []string{"-initializeRounds"}})
	must(t, chain.Control.SetBaseFee(t.Context(), core.NewWei(50_000)))
	served := models(t)
	o = newParty(t, chain, func(front string) []string {
		return []string{"-orchestrator", "-transcoder", "-aiWorker", "-aiModels", served, "-aiAllowUnverified",
			"-serviceAddr", front, "-httpAddr", front, "-pricePerUnit", pixelPrice}
	})
	must(t, chain.Control.FundLPT(t.Context(), common.Address(o.account), core.LPTTokens(1000)))
	g = newParty(t, chain, func(front string) []string {
		return []string{"-gateway", "-httpAddr", front, "-transcodingOptions", ladder}
	})
	var wg sync.WaitGroup
	wg.Go(func() {
		o.cli(t, "orchestrator", "activate", "--reward-cut", "10", "--fee-cut", "95", "--stake", "1000",
			"--service-uri", "https://"+o.front, "--price-per-unit", pixelPrice)
	})
	wg.Go(func() { g.cli(t, "deposit", "fund", "--deposit", "1ETH", "--reserve", "2ETH") })
	wg.Wait()
	_, err := chain.Control.NextRound(t.Context(), true)
	must(t, err)
	return o, g
}

// TestPayingGatewayAmongStrangers: while fifty addresses without credentials do all that
// they can think of, a paying gateway loses no segment and no completion.
func TestPayingGatewayAmongStrangers(t *testing.T) {
	pushes, completions := 10, 80
	if adversary.Long() {
		pushes, completions = 100, 1000
	}
	segs := segments(t, 4)
	o, g := paid(t)
	g.await(t, segs[0])

	ctx, cancel := context.WithCancel(t.Context())
	var wg sync.WaitGroup
	for n := range strangers {
		s := strangerAt(n, o.front)
		a := attacks[n%len(attacks)]
		// Fewer connections than one attacker alone would have: all of them run on this
		// machine, whose CPU cores are the node's too.
		wg.Go(func() { s.connectMany(ctx, max(1, a.connections/25), a.run(s)) })
	}
	lost := work(t.Context(), g, segs, pushes, completions)
	cancel()
	wg.Wait()
	for _, err := range lost {
		t.Error(err)
	}
	if t.Failed() {
		t.Log(tail(o.Log()))
	}
}

func tail(s string) string { return s[max(0, len(s)-4000):] }

// clients is how many ask for completions at once.
const clients = 4

// work has a gateway do so many segments and completions and returns what was lost.
func work(ctx context.Context, g *party, segs []clip.Segment, pushes, completions int) (lost []error) {
	var mu sync.Mutex
	lose := func(err error) {
		if err != nil {
			mu.Lock()
			defer mu.Unlock()
			lost = append(lost, err)
		}
	}
	var wg sync.WaitGroup
	var begun atomic.Int64
	for range clients {
		wg.Go(func() {
			for n := begun.Add(1); n <= int64(completions); n = begun.Add(1) {
				if err := complete(ctx, g.base()); err != nil {
					lose(fmt.Errorf("completion %d: %w", n, err))
				}
			}
		})
	}
	wg.Go(func() {
		for n := range pushes {
			if err := push(g.base(), "paid", n, segs[n%len(segs)]); err != nil {
				lose(fmt.Errorf("segment %d: %w", n, err))
			}
		}
	})
	wg.Wait()
	return lost
}
