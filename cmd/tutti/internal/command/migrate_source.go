package command

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/tuttinode/tutti/cmd/tutti/nodedb"
	"github.com/tuttinode/tutti/config"
	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/migrate"
)

// ExistingNode is an existing node of the network whose keys and tickets are taken over.
type ExistingNode struct {
	Dir string
	// chain is what its database has to be of, 0 for any.
	chain uint64
	// Wanted: it is taken over from for the first time, or the operator asked for it;
	// otherwise only when something came from there before.
	Wanted bool
}

// Words of -moveFrom that are no path.
const (
	moveAuto = "auto"
	moveNone = "none"
)

// FindExisting finds what the configuration says of an existing node; nil for none.
func FindExisting(cfg *config.Config, chain uint64) (*ExistingNode, error) {
	dir, asked := cfg.Storage.MoveFrom, true
	switch dir {
	case moveNone:
		return nil, nil
	case moveAuto:
		asked = false
		if dir = cfg.Storage.OldDataDir; dir == "" {
			home, _ := os.UserHomeDir() // without one there is nothing to find
			dir = migrate.Usual(home, cfg.Chain.Network)
		}
		// Only its keys are copied; the layout of our own directory is the same.
		if dir == "" || !migrate.IsSource(dir) && (sameDir(dir, cfg.Storage.DataDir) || !migrate.HasKeys(dir)) {
			return nil, nil
		}
	}
	dir, err := filepath.Abs(dir)
	if err != nil {
		return nil, fault.Wrap(fault.OldDataMissing, "look for the existing node", err)
	}
	if asked && !migrate.IsSource(dir) && !migrate.HasKeys(dir) {
		return nil, fault.New(fault.OldDataMissing, "look for the existing node", dir)
	}
	return &ExistingNode{Dir: dir, chain: chain, Wanted: asked}, nil
}

// sameDir reports whether two paths are one directory.
func sameDir(a, b string) bool {
	x, err := os.Stat(a)
	if err != nil {
		return false
	}
	y, err := os.Stat(b)
	return err == nil && os.SameFile(x, y)
}

// Read looks at what the existing node left.
func (o *ExistingNode) Read(ctx context.Context) (*migrate.Left, error) {
	left, err := migrate.Reader{Driver: nodedb.Driver().Name}.Read(ctx, o.Dir)
	if err != nil {
		return nil, err
	}
	if o.chain != 0 && left.ChainID != 0 && left.ChainID != o.chain {
		return nil, fault.New(fault.OldDataWrongChain, "take over from "+o.Dir,
			fmt.Sprintf("its database is of chain %d, the network is chain %d", left.ChainID, o.chain))
	}
	return left, nil
}

// Shares reports whether one of our keys is the existing node's.
func (o *ExistingNode) Shares(have []migrate.Key) bool {
	theirs, err := migrate.KeysIn(o.Dir)
	return err == nil && slices.ContainsFunc(theirs, func(k migrate.Key) bool {
		return slices.ContainsFunc(have, func(h migrate.Key) bool { return h.Address == k.Address })
	})
}

// Keep stages tickets, and remembers where they are from.
func (o *ExistingNode) Keep(ctx context.Context, record *migrate.Record, left *migrate.Left) (int, error) {
	if err := record.Came(ctx, o.Dir, left.ChainID, time.Now()); err != nil {
		return 0, err
	}
	return record.Stage(ctx, o.Dir, left.Tickets, time.Now())
}

// OtherNodes returns how many tickets pay another account.
func OtherNodes(tickets []migrate.Ticket, recipient core.Address) int {
	mine := slices.DeleteFunc(slices.Clone(tickets),
		func(t migrate.Ticket) bool { return t.Ticket.Recipient != recipient })
	return len(tickets) - len(mine)
}
