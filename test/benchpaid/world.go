package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/ethereum/go-ethereum/common"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/test/devnet"
)

const (
	// fastL1 is how fast the chain's clock goes until everybody is ready, slowL1 while
	// times are taken: as fast as Ethereum's.
	fastL1, slowL1 = 100 * time.Millisecond, 12 * time.Second
	roundLength    = 1000
	// ticketEV is what one ticket is worth, in wei. tokenPrice makes it the price of
	// tokensPerTicket tokens.
	ticketEV        = 8_000_000_000
	tokensPerTicket = 20
	tokenPrice      = ticketEV / tokensPerTicket
	// pixelPrice makes a ticket pay two seconds of two small renditions.
	pixelPrice = "900"
	// baseFee decides how rarely a ticket wins: about one of 1500.
	baseFee = 100_000
)

// pair is an orchestrator and the gateway before it.
type pair struct{ orchestrator, gateway *node }

// world is a chain, a pair that is paid on it, and a pair without a chain.
type world struct {
	bin, dir   string
	chain      *devnet.Process
	models     string
	model      *modelServer
	paid, free pair
	nodes      []*node
}

// newWorld starts the chain and the model server.
func newWorld(ctx context.Context, bin, dir string) (*world, error) {
	w := &world{bin: bin, dir: dir}
	chain := filepath.Join(dir, "chain")
	if err := os.MkdirAll(chain, 0o700); err != nil {
		return nil, err
	}
	var err error
	if w.model, err = startModel(); err != nil {
		return nil, err
	}
	w.chain, err = devnet.Launch(ctx, chain, devnet.Options{
		Binary: w.devnet(), BlockTime: fastL1, L1BlockTime: fastL1, RoundLength: roundLength,
		Args: []string{"-initializeRounds"},
	})
	if err != nil {
		return nil, errors.Join(err, w.stop())
	}
	w.models, err = w.modelsFile(tokenPrice)
	if err = errors.Join(err, w.chain.Control.SetBaseFee(ctx, core.NewWei(baseFee))); err != nil {
		return nil, errors.Join(err, w.stop())
	}
	return w, nil
}

// devnet is the chain's program, where it is built next to the others.
func (w *world) devnet() string {
	path := filepath.Join(w.bin, "tutti_devnet")
	if _, err := os.Stat(path); err != nil {
		return ""
	}
	return path
}

// startAll starts both pairs and waits until both serve segments and answers.
func (w *world) startAll(ctx context.Context) error {
	if err := errors.Join(w.startFree(ctx), w.startOrchestrator(ctx)); err != nil {
		return err
	}
	if err := w.startGateway(ctx); err != nil {
		return err
	}
	for _, p := range []pair{w.free, w.paid} {
		c := newChat(p.gateway)
		if err := p.gateway.wait(ctx, "an answer of the model", 60*time.Second,
			func() error { return c.ask(ctx, plainBody(1), nil) }); err != nil {
			return fmt.Errorf("%w; the orchestrator's log ends with\n%s", err, p.orchestrator.tail())
		}
	}
	return w.clock(ctx, slowL1)
}

// clock sets how fast the chain's time goes.
func (w *world) clock(ctx context.Context, every time.Duration) error {
	return errors.Join(w.chain.Control.SetL1BlockTime(ctx, every),
		w.chain.Control.SetL2BlockTime(ctx, min(every, 250*time.Millisecond)))
}

func (w *world) add(name string, args ...string) (*node, error) {
	n, err := newNode(w.bin, w.dir, name)
	if err != nil {
		return nil, err
	}
	n.args = append(n.args, args...)
	w.nodes = append(w.nodes, n)
	return n, nil
}

// onChain gives a node an account with ether.
func (w *world) onChain(ctx context.Context, n *node) error {
	if err := n.open(); err != nil {
		return err
	}
	n.args = append(n.args, "-network", "devnet", "-ethUrl", strings.Join(w.chain.Info.Endpoints, ","),
		"-blockPollingInterval", "1s")
	ether, err := core.ParseEther("10")
	if err != nil {
		return err
	}
	return w.chain.Control.Fund(ctx, common.Address(n.account), ether)
}

// working are the flags of an orchestrator that does everything itself.
func (n *node) working(models string) []string {
	return []string{"-orchestrator", "-transcoder", "-aiWorker", "-aiModels", models, "-aiAllowUnverified",
		"-maxSessions", "100",
		"-encoderPreset", "ultrafast", "-serviceAddr", n.front, "-httpAddr", n.front}
}

func (w *world) startFree(ctx context.Context) (err error) {
	free, err := w.modelsFile(0)
	if err != nil {
		return err
	}
	if w.free.orchestrator, err = w.add("orchestrator without a chain"); err != nil {
		return err
	}
	o := w.free.orchestrator
	o.args = append(o.args, o.working(free)...)
	if w.free.gateway, err = w.add("gateway without a chain", "-gateway", "-orchAddr", o.front); err != nil {
		return err
	}
	g := w.free.gateway
	g.args = append(g.args, "-httpAddr", g.front)
	return errors.Join(o.start(ctx), g.start(ctx))
}

// startOrchestrator starts the paid orchestrator and makes it active.
func (w *world) startOrchestrator(ctx context.Context) (err error) {
	// Without the overhead a job needs as many tickets as the price says.
	o, err := w.add("paid orchestrator", "-pricePerUnit", pixelPrice, "-autoAdjustPrice=false", "-ticketEV",
		strconv.Itoa(ticketEV))
	if err != nil {
		return err
	}
	w.paid.orchestrator = o
	o.args = append(o.args, o.working(w.models)...)
	if err := w.onChain(ctx, o); err != nil {
		return err
	}
	if err := errors.Join(w.chain.Control.FundLPT(ctx, common.Address(o.account), core.LPTTokens(1000)),
		o.start(ctx)); err != nil {
		return err
	}
	if err := o.cli(ctx, "orchestrator", "activate", "--reward-cut", "10", "--fee-cut", "95", "--stake", "1000",
		"--service-uri", "https://"+o.front, "--price-per-unit", pixelPrice); err != nil {
		return err
	}
	_, err = w.chain.Control.NextRound(ctx, true)
	return err
}

// startGateway starts the paying gateway and gives it deposit and reserve.
func (w *world) startGateway(ctx context.Context) (err error) {
	g, err := w.add("paying gateway", "-gateway")
	if err != nil {
		return err
	}
	w.paid.gateway = g
	g.args = append(g.args, "-httpAddr", g.front)
	if err := errors.Join(w.onChain(ctx, g), g.start(ctx)); err != nil {
		return err
	}
	return g.cli(ctx, "deposit", "fund", "--deposit", "1ETH", "--reserve", "2ETH")
}

// stop ends everything, gateways first.
func (w *world) stop() error {
	var problems []error
	for i := len(w.nodes) - 1; i >= 0; i-- {
		problems = append(problems, w.nodes[i].stop())
	}
	if w.chain != nil {
		w.chain.Stop()
	}
	return errors.Join(append(problems, w.model.stop())...)
}
