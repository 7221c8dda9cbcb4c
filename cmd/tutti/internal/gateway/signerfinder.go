package gateway

import (
	"context"
	"time"

	"github.com/tuttinode/tutti/cmd/tutti/internal/chain"
	"github.com/tuttinode/tutti/cmd/tutti/internal/nodeenv"
	"github.com/tuttinode/tutti/cmd/tutti/internal/process"
	"github.com/tuttinode/tutti/core/pricing"
	frontend "github.com/tuttinode/tutti/server/gateway"
	"github.com/tuttinode/tutti/server/gateway/registry"
	"github.com/tuttinode/tutti/server/gateway/upstream"
	service "github.com/tuttinode/tutti/server/remotesigner"
	"github.com/tuttinode/tutti/server/rpc"
)

// newSignerFinder adds what finds orchestrators for callers: those of the webhook, else of -orchAddr, else the
// network's.
func newSignerFinder(env *nodeenv.Env, network *chain.Part, paying *Paying, caps *pricing.Caps) (*service.Finder,
	error) {
	tickets := upstream.NewTicketPayments(upstream.TicketOptions{Sender: paying.Sender,
		Sign: network.Signer.SignMessage, Caps: caps})
	asking := upstream.New(upstream.Options{Payments: tickets, Now: time.Now, Node: "tutti/" + process.Version})
	directory := registry.New(registry.Options{Stakes: network.Chain, Events: network.Chain, Survey: asking.Survey,
		Board: env.Board, Log: env.Log, Now: time.Now})
	list := directory.List
	var fixed []string
	for _, o := range env.Config.Addresses.Orchestrators {
		fixed = append(fixed, o.String())
	}
	switch hook := env.Config.Selection.Webhook.Reveal(); {
	case hook != "":
		list = frontend.HookList(hook, time.Now, env.Log)
	case len(fixed) > 0:
		list = func(context.Context) ([]string, error) { return fixed, nil }
	default:
		env.Add(directory)
	}
	found := service.NewFinder(service.FinderOptions{List: list, Caps: caps, Log: env.Log,
		Survey: func(ctx context.Context, uri string) (*rpc.OrchestratorInfo, error) { return asking.Survey(ctx, uri) }})
	env.Add(closingFinder{found, asking})
	return found, nil
}

// closingFinder is a finder that ends its connections when it ends.
type closingFinder struct {
	*service.Finder
	client *upstream.Client
}

// Run is the finder's.
func (c closingFinder) Run(ctx context.Context, ready func()) error {
	defer c.client.Close()
	return c.Finder.Run(ctx, ready)
}
