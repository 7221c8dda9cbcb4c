package doctor

import (
	"fmt"
	"strings"

	"github.com/tuttinode/tutti/core/adminapi"
	"github.com/tuttinode/tutti/core/fault"
)

// chain reports what the chain requires before gateways send work.
func (l *jobFindings) chain(f *NodeState) {
	if f.Offchain {
		l.add(Hint, "", "This node is off-chain: gateways come only if their operators name it.",
			"Give each gateway this node's address with -orchAddr.")
		return
	}
	s := f.Status
	if s == nil {
		l.add(Blocker, fault.ChainNotReady, "The chain has not been read yet, so the node cannot be paid.", "")
		return
	}
	if s.Stale {
		l.add(Likely, fault.ChainStale, "The chain data is stale; what follows is the last known state.", "")
	}
	l.activeSet(f, s)
	if !s.Round.Initialized {
		l.add(Likely, fault.RoundNotInitialized,
			fmt.Sprintf("Round %d is not initialized: until it is, no tickets are taken.", s.Round.Number), "")
	}
	if s.State != adminapi.PublicUnregistered && s.RegistryURI == "" {
		l.add(Blocker, fault.ServiceURIUnset,
			"No service address is registered, so gateways do not know where the node is.", "")
	}
}

// NotFoundReason is why gateways do not find an orchestrator on the chain: a fault, "" if it
// only has to wait, and a sentence, "" if they find it.
func NotFoundReason(s *adminapi.PublicStatus) (fault.Code, string) {
	switch s.State {
	case adminapi.PublicUnregistered:
		return fault.NotRegistered, "The account is not registered as an orchestrator."
	case adminapi.PublicWaiting:
		return "", fmt.Sprintf("The node is registered and becomes active in round %d; gateways come after that.",
			s.ActiveFrom)
	case adminapi.PublicInactive:
		return fault.InactiveOrchestrator, "The node is not in the active set, so gateways do not find it."
	}
	return "", ""
}

// activeSet reports the orchestrator's state in the active set.
func (l *jobFindings) activeSet(f *NodeState, s *adminapi.PublicStatus) {
	where := f.PoolRank.String()
	code, says := NotFoundReason(s)
	switch s.State {
	case adminapi.PublicUnregistered:
		l.add(Blocker, code, says,
			"Bond stake to yourself and set a service address: tutti_cli orchestrator activate does both.",
			s.Address.String())
	case adminapi.PublicWaiting:
		l.add(Blocker, code, says, "None needed: wait for the next round.",
			fmt.Sprintf("this is round %d, which ends at layer-1 block %d; now is %d", s.Round.Number, s.Round.End,
				s.Round.Block), where)
	case adminapi.PublicInactive:
		l.add(Blocker, code, says, "", where)
	case adminapi.PublicLeaving:
		l.add(Likely, fault.LeavingActiveSet, "The node leaves the active set when this round ends.", "", where)
	case adminapi.PublicActive:
		l.activeSetMargin(f)
	}
}

// minRankedMembers is the pool size from which a rank in the lower half is worth a hint.
const minRankedMembers = 10

// activeSetMargin warns of a rank near the end of the pool, and hints at one in the lower
// half: many gateways choose by stake.
func (l *jobFindings) activeSetMargin(f *NodeState) {
	p := f.PoolRank
	if p == nil || p.Rank == 0 || p.Members == 0 {
		return
	}
	switch {
	case p.Members >= p.Size && p.Rank > max(1, p.Members-3):
		l.add(Likely, fault.LeavingActiveSet, "The node is about to be pushed out of the active set.",
			"Get more stake delegated before another orchestrator has more.", p.String())
	case p.Members < minRankedMembers:
		// Among so few a rank says nothing of why no jobs come.
	case p.Rank > p.Members/2:
		l.add(Hint, "", "The node is in the lower half of the active set; gateways that weigh stake come here "+
			"less often.",
			"More delegated stake, a lower price or faster answers bring more work.", p.String())
	}
}

// String describes the rank, "" for nil.
func (p *PoolRank) String() string {
	if p == nil || p.Members == 0 {
		return ""
	}
	margin, above := p.Margin()
	rank := fmt.Sprintf("rank %d of %d", p.Rank, p.Members)
	if p.Rank == 0 {
		rank = fmt.Sprintf("not among the %d members", p.Members)
	}
	side := "above"
	if !above {
		side = "below"
	}
	maximum := ""
	if p.Size > 0 {
		maximum = fmt.Sprintf(" (maximum %d)", p.Size)
	}
	return fmt.Sprintf("%s%s with %s LPT, %s LPT %s the last one's %s LPT", rank, maximum, p.Stake.Tokens(),
		margin.Tokens(), side, p.Last.Tokens())
}

// address reports whether gateways can reach the node.
func (l *jobFindings) address(f *NodeState) {
	a := f.Address
	if a == nil {
		return
	}
	evidence := []string{addressText("advertised", a.Advertised), addressText("registered", a.OnChain),
		addressText("seen from outside as", a.Discovered), a.Detail}
	switch a.Reach {
	case ReachClosed:
		l.add(Blocker, fault.PortClosed, "The node cannot be reached at the address that it advertises.", "",
			evidence...)
	case ReachForeign:
		l.add(Blocker, fault.ServiceAddrForeign, "Another node answers at the address that this node advertises.", "",
			evidence...)
	case ReachUnverified:
		l.add(Likely, fault.PortUnverified,
			"No connection from outside has arrived yet, and the node cannot reach its own public address.", "",
			evidence...)
	case ReachUnknown:
		l.add(Hint, "", "Whether the node can be reached is not known.",
			"Leave -startupAvailabilityCheck on, or look from another machine.", evidence...)
	}
	if a.Mismatch {
		l.add(Likely, fault.ServiceAddrMismatch, "The registered address is not where the node is.", "", evidence...)
	}
	if !f.Offchain && PrivateURI(a.Advertised) {
		l.add(Likely, fault.ServiceAddrPrivate,
			"The advertised address is a private one, which gateways on the internet cannot reach.", "", evidence[0])
	}
}

func addressText(what, uri string) string {
	if uri == "" {
		return ""
	}
	return strings.Join([]string{what, uri}, " ")
}
