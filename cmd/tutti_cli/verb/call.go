package verb

import (
	"context"
	"io/fs"
	"slices"
	"time"

	"github.com/tuttinode/tutti/cmd/tutti_cli/console"
	"github.com/tuttinode/tutti/cmd/tutti_cli/node"
	"github.com/tuttinode/tutti/config"
	"github.com/tuttinode/tutti/core/adminapi"
	"github.com/tuttinode/tutti/core/fault"
)

// Call is one use of a verb: what was given, and the world it works on.
type Call struct {
	*console.Console
	Verb *Verb
	// Set are the options that every verb takes.
	Set Settings
	// Menu: the verb was chosen in the menu, so every value gets a prompt.
	Menu  bool
	Node  *node.Client
	World World

	texts  map[string]string
	values map[string]any
	about  *adminapi.Node
}

// World is what a verb may touch besides the node.
type World struct {
	Now func() time.Time
	// Poll is how often a transaction is looked at.
	Poll time.Duration
	// Random gives keys.
	Random interface{ Read([]byte) (int, error) }
	// Home is the user's home directory, "" for none.
	Home string
	// Service is the data directory of the packages' service, "" for none.
	Service string
	// ReadFile reads what an option names.
	ReadFile func(path string) ([]byte, error)
	// Mode returns a file's kind and permissions.
	Mode func(path string) (fs.FileMode, error)
	// Version is this program's.
	Version string
}

// NewCall begins a use of a verb with what was given on the command line.
func NewCall(v *Verb, texts map[string]string, c *console.Console, n *node.Client, s Settings, w World) *Call {
	return &Call{Console: c, Verb: v, Set: s, Node: n, World: w, texts: texts, values: make(map[string]any)}
}

// About returns what kind of node it is; one request gets it.
func (c *Call) About(ctx context.Context) (adminapi.Node, error) {
	if c.about == nil {
		var about adminapi.Node
		if err := c.Node.Get(ctx, adminapi.PathNode, &about); err != nil {
			return about, err
		}
		c.about = &about
	}
	return *c.about, nil
}

// TestChains are networks whose money is play money, by number.
func testChains() []uint64 { return []uint64{4, 1337, 31337, 54321, 421611, 421614, 11155111} }

// Play reports whether a node's money is none: off-chain and test networks.
func Play(n adminapi.Node) bool {
	return n.Offchain || slices.Contains(testChains(), n.ChainID) || n.Network == "devnet"
}

// publicChains are those that the public network is or was on, by number.
func publicChains() []uint64 { return []uint64{1, 42161} }

// Private reports whether a node's network is not the public one: a test network, or a
// deployment of the contracts on another chain.
func Private(n adminapi.Node) bool {
	return Play(n) || !slices.Contains(config.Networks(), n.Network) && n.ChainID != 0 &&
		!slices.Contains(publicChains(), n.ChainID)
}

// IsOrchestrator and IsGateway say what the node is.
func IsOrchestrator(n adminapi.Node) bool {
	return slices.Contains(n.Roles, "orchestrator") || slices.Contains(n.Roles, "redeemer")
}

// Shows reports whether the menu of a node has a verb.
func Shows(v *Verb, n adminapi.Node) bool {
	if v.Menu == "" || v.Chain && n.Offchain {
		return false
	}
	switch v.For {
	case Orchestrators:
		return IsOrchestrator(n)
	case Gateways:
		return !IsOrchestrator(n)
	case TestNetworks:
		return Play(n) && !n.Offchain
	}
	return true
}

// Agree asks before a change. --yes answers; where no prompt is possible it is a
// mistake of the caller, and a no is the end of the verb.
func (c *Call) Agree(ctx context.Context, question string) error {
	if c.Set.Yes {
		return nil
	}
	if !c.CanAsk() {
		return fault.New(fault.ConfirmationMissing, "confirm",
			c.Verb.Name+" makes a change, and no prompt is possible: add --yes, or look with --dry-run")
	}
	yes, err := c.Confirm(ctx, question)
	if err == nil && !yes {
		err = fault.New(fault.ActionDeclined, "confirm", "you answered no; nothing was sent")
	}
	return err
}

// Ready refuses a change that could not be confirmed, before any prompt
// of the node.
func (c *Call) Ready() error {
	if !c.Verb.Changes || c.Set.Yes || c.Set.DryRun || c.CanAsk() {
		return nil
	}
	return fault.New(fault.ConfirmationMissing, "confirm",
		c.Verb.Name+" makes a change, and no prompt is possible: add --yes, or look with --dry-run")
}
