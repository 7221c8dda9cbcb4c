package contracts

import (
	"math/big"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/protocol"
)

// Reads makes the questions to one network's contracts. A method that returns
// several Reads fills one record with them; give them to ReadAll together and in
// their order.
type Reads struct{ a Addresses }

// NewReads makes questions to the contracts at these addresses.
func NewReads(a Addresses) Reads { return Reads{a} }

// RoundState asks for all of out but the two hashes, which RoundHash gives once
// LastInitialized is known.
func (r Reads) RoundState(out *protocol.RoundState) []Read {
	at := r.a.RoundsManager
	return []Read{
		view("RoundsManager.currentRound", at, roundsABI.PackCurrentRound(), roundsABI.UnpackCurrentRound,
			set(&out.Number, (*convert).round)),
		view("RoundsManager.currentRoundInitialized", at, roundsABI.PackCurrentRoundInitialized(),
			roundsABI.UnpackCurrentRoundInitialized, setBool(&out.Initialized)),
		view("RoundsManager.currentRoundLocked", at, roundsABI.PackCurrentRoundLocked(), roundsABI.UnpackCurrentRoundLocked,
			setBool(&out.Locked)),
		view("RoundsManager.currentRoundStartBlock", at, roundsABI.PackCurrentRoundStartBlock(),
			roundsABI.UnpackCurrentRoundStartBlock, set(&out.Start, (*convert).l1)),
		r.roundLength(&out.Length),
		r.lockAmount(func(share core.PerMillion) { out.LockLength = lockLength(out.Length, share) }),
		view("RoundsManager.lastInitializedRound", at, roundsABI.PackLastInitializedRound(),
			roundsABI.UnpackLastInitializedRound, set(&out.LastInitialized, (*convert).round)),
	}
}

// RoundHash asks for the hash that tickets of a round carry; zero for an uninitialized round.
func (r Reads) RoundHash(round protocol.Round, out *protocol.Hash) Read {
	return view("RoundsManager.blockHashForRound", r.a.RoundsManager,
		roundsABI.PackBlockHashForRound(roundNumber(round)), roundsABI.UnpackBlockHashForRound, setHash(out))
}

// BlockNumber asks for the layer-1 height as contracts see it.
func (r Reads) BlockNumber(out *protocol.L1Block) Read {
	return view("RoundsManager.blockNum", r.a.RoundsManager, roundsABI.PackBlockNum(), roundsABI.UnpackBlockNum,
		set(out, (*convert).l1))
}

// Paused asks whether governance stopped the protocol.
func (r Reads) Paused(out *bool) Read {
	return view("Controller.paused", r.a.Controller, controllerABI.PackPaused(), controllerABI.UnpackPaused, setBool(out))
}

func (r Reads) roundLength(out *protocol.L1Block) Read {
	return view("RoundsManager.roundLength", r.a.RoundsManager, roundsABI.PackRoundLength(), roundsABI.UnpackRoundLength,
		set(out, (*convert).l1))
}

func (r Reads) lockAmount(take func(core.PerMillion)) Read {
	return view("RoundsManager.roundLockAmount", r.a.RoundsManager, roundsABI.PackRoundLockAmount(),
		roundsABI.UnpackRoundLockAmount,
		func(c *convert, n *big.Int) { take(c.share(n)) })
}

// lockLength truncates as the contract does.
func lockLength(round protocol.L1Block, share core.PerMillion) protocol.L1Block {
	n := new(big.Int).Mul(new(big.Int).SetUint64(uint64(round)), big.NewInt(int64(share)))
	return protocol.L1Block(n.Div(n, big.NewInt(int64(core.Whole))).Uint64())
}

func roundNumber(r protocol.Round) *big.Int { return new(big.Int).SetUint64(uint64(r)) }
