// Command tutti_demo shows everything on one machine: it starts a local test chain
// and the real tutti binary three times, as orchestrator, transcoder and AI worker with
// a language model behind it, as a second orchestrator of live video, and as the gateway
// that pays them with tickets. It registers the two, funds the gateway, pushes a stream
// in real time, and either leaves pages open to watch the renditions, the rounds, the
// tickets and the earnings, to chat with the model, and to have the camera transformed
// (run), or checks every rendition, an answer, a reward, a redeemed ticket and a live
// stream whose orchestrator is killed itself and says what broke (check).
//
// It is a client of the node, not a part of it: everything goes over real sockets.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"
	"time"

	"github.com/tuttinode/tutti/transcoder/libav/clip"
)

const usage = `usage: tutti_demo run   [-video file] [-tutti path] [-segments n] [-offchain]
       tutti_demo check [-video file] [-tutti path] [-segments n] [-offchain]

run    plays a stream through a node of its own and prints the pages to open, and how
       to chat with the model behind it
check  registers, chats, pushes a few segments, waits for a reward, publishes live video
       and kills the orchestrator that has it, verifies everything and exits 0, or says
       what broke

LLM_URL=http://host:port uses an OpenAI-compatible server of yours as the model.
`

func main() { os.Exit(run(os.Args[1:], os.Stdout, os.Stderr)) }

type options struct {
	mode     string
	video    string
	tutti    string
	segments int
	offchain bool
}

// sibling returns the path of another program of the same build.
func (o options) sibling(name string) string { return filepath.Join(filepath.Dir(o.tutti), name) }

func run(args []string, stdout, stderr io.Writer) int {
	opt, err := parse(args, stderr)
	if err != nil {
		fmt.Fprintln(stderr, "tutti_demo:", err)
		return 2
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := demonstrate(ctx, opt, stdout, stderr); err != nil {
		if ctx.Err() != nil {
			fmt.Fprintln(stdout, "stopped")
			return 0
		}
		fmt.Fprintln(stderr, "tutti_demo:", err)
		return 1
	}
	return 0
}

func parse(args []string, stderr io.Writer) (options, error) {
	if len(args) == 0 || (args[0] != "run" && args[0] != "check") {
		fmt.Fprint(stderr, usage)
		return options{}, errors.New("say run or check")
	}
	opt := options{mode: args[0]}
	self, err := os.Executable()
	if err != nil {
		return options{}, fmt.Errorf("find own path: %w", err)
	}
	fs := flag.NewFlagSet("tutti_demo", flag.ContinueOnError)
	fs.SetOutput(stderr)
	fs.StringVar(&opt.video, "video", "",
		"media file to play in a loop (H.264, HEVC or MPEG-2); empty generates a test pattern")
	fs.StringVar(&opt.tutti, "tutti", filepath.Join(filepath.Dir(self), "tutti"), "the tutti binary")
	fs.IntVar(&opt.segments, "segments", 0, "stop after so many segments; run: 0 never stops, check: 5")
	fs.BoolVar(&opt.offchain, "offchain", false, "without the test chain")
	if err := fs.Parse(args[1:]); err != nil {
		return options{}, err
	}
	if opt.mode == "check" && opt.segments == 0 {
		opt.segments = 5
	}
	return opt, nil
}

func demonstrate(ctx context.Context, opt options, stdout, stderr io.Writer) error {
	source, err := openSource(opt)
	if err != nil {
		return err
	}
	defer source.Close()
	dir, err := os.MkdirTemp("", "tutti_demo")
	if err != nil {
		return fmt.Errorf("make a data directory: %w", err)
	}
	defer os.RemoveAll(dir)
	m, err := startModel(ctx, dir)
	if err != nil {
		return err
	}
	defer m.stop()
	n, err := newNode(dir)
	if err != nil {
		return err
	}
	defer n.stop()
	pages(stdout, opt, n)
	c, err := startChain(ctx, opt, n, dir)
	if err != nil {
		return err
	}
	defer c.stop()
	if err := open(ctx, opt, n, m, c, stdout, stderr); err != nil {
		return err
	}
	page, err := openCamera(ctx, n, c)
	if err != nil {
		return err
	}
	defer page.close()
	if opt.mode == "run" {
		announce(stdout, n, m, c)
		return play(ctx, n, source, opt.segments, stdout)
	}
	if err := checkWork(ctx, opt, n, m, c, source, stdout); err != nil {
		return err
	}
	return checkCamera(ctx, n, c, page, stdout)
}

// checkWork checks a stream and the model, and on the chain what they bring.
func checkWork(ctx context.Context, opt options, n *node, m *model, c *chain, source clip.Source, out io.Writer) error {
	if err := checkChat(ctx, n, m, out); err != nil {
		return err
	}
	if err := check(ctx, n, source, opt.segments, out); err != nil || c == nil {
		return err
	}
	if err := c.awaitReward(ctx, n, out); err != nil {
		return err
	}
	return checkPaid(ctx, n, source, m, out)
}

// open starts the two parties and brings them together: the orchestrator joins the
// network, the gateway puts money aside, and finds the model.
func open(ctx context.Context, opt options, n *node, m *model, c *chain, stdout, stderr io.Writer) error {
	work, pay := m.flags, []string{"-orchAddr", n.service + "," + n.second.service}
	var second []string
	if c != nil {
		work = append(work, c.flags(c.orchestrator)...)
		work = append(work, "-pricePerUnit", pricePerPixel, "-initializeRound", "-initializeRoundMaxDelay", "0s")
		second = append(c.flags(c.second), "-pricePerUnit", pricePerPixel)
		pay = c.flags(c.gateway)
	}
	if err := n.startOrchestrators(ctx, opt.tutti, work, second, stderr); err != nil {
		return err
	}
	if c != nil {
		if err := c.register(ctx, opt, n, stdout); err != nil {
			return err
		}
	}
	if err := n.startGateway(ctx, opt.tutti, pay, stderr); err != nil {
		return err
	}
	if c != nil {
		if err := c.deposit(ctx, opt, n, stdout); err != nil {
			return err
		}
	}
	return n.awaitModel(ctx, m)
}

func openSource(opt options) (clip.Source, error) {
	const segment = 2 * time.Second
	if opt.video != "" {
		return clip.OpenFile(opt.video, segment, true)
	}
	return clip.Generate(clip.Options{Segment: segment})
}
