package recipient

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/protocol"
	"github.com/tuttinode/tutti/pm"
)

// Snapshot is the state of payments at one moment, for pages and the admin API.
type Snapshot struct {
	// Accounts are the open ones, by sender and key.
	Accounts []AccountState
	// Sets is how many sets of parameters are remembered.
	Sets int
	// Senders are those that have an account.
	Senders []SenderState
}

// AccountState is one account.
type AccountState struct {
	Account pm.Account
	// Balance is its balance, InProgress the estimate of its running jobs.
	Balance, InProgress pm.Value
	Jobs                int
	Used                time.Time
}

// SenderState is a gateway's funds and the tickets that they cover.
type SenderState struct {
	Sender   core.Address
	Accounts int
	Funds    protocol.SenderFunds
	// MaxFloat is the most that one ticket may pay; FaceValue what it would pay now, 0 if no
	// ticket is worth redeeming.
	MaxFloat, FaceValue core.Wei
	// Problem is the code of why this gateway gets no parameters, "" for none.
	Problem fault.Code
}

// Snapshot reads the state of all accounts. It asks the chain about gateways that are not
// cached, which those with accounts are.
func (r *Recipient) Snapshot(ctx context.Context) Snapshot {
	all, used := r.accounts.all()
	snap := Snapshot{Accounts: make([]AccountState, len(all)), Sets: r.sets.count()}
	count := make(map[core.Address]int)
	for i, a := range all {
		snap.Accounts[i] = a.state(used[i])
		count[a.id.Sender]++
	}
	slices.SortFunc(snap.Accounts, func(x, y AccountState) int {
		return cmp.Or(slices.Compare(x.Account.Sender[:], y.Account.Sender[:]), cmp.Compare(x.Account.Key, y.Account.Key))
	})
	view := r.opt.Chain.View()
	for i := range snap.Accounts {
		sender := snap.Accounts[i].Account.Sender
		n, first := count[sender]
		if !first {
			continue
		}
		delete(count, sender)
		snap.Senders = append(snap.Senders, r.senderState(ctx, &view, sender, n))
	}
	return snap
}

func (a *account) state(used time.Time) AccountState {
	a.mu.Lock()
	defer a.mu.Unlock()
	return AccountState{Account: a.id, Balance: a.balance, InProgress: a.inProgress, Jobs: a.jobs, Used: used}
}

func (r *Recipient) senderState(ctx context.Context, view *protocol.View, sender core.Address, n int) SenderState {
	c, err := r.readFunds(ctx, view, sender)
	s := SenderState{Sender: sender, Accounts: n, Funds: c.funds, MaxFloat: c.maxFloat, FaceValue: c.faceValue}
	if err != nil {
		s.FaceValue, s.Problem = core.Wei{}, fault.CodeOf(err)
	}
	return s
}
