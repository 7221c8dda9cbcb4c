package contracts_test

import (
	"context"
	"math/big"
	"testing"

	"github.com/ethereum/go-ethereum"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/protocol"
	"github.com/tuttinode/tutti/eth/contracts"
)

// echo answers every call with the same bytes.
type echo []byte

func (e echo) CallBatch(_ context.Context, _ protocol.L2Block, calls []ethereum.CallMsg) ([]contracts.Result, error) {
	out := make([]contracts.Result, len(calls))
	for i := range out {
		out[i].Data = e
	}
	return out, nil
}

// everyRead is one of each question.
func everyRead() []contracts.Read {
	r := contracts.NewReads(places)
	reads := r.RoundState(new(protocol.RoundState))
	reads = append(reads, r.Orchestrator(other, new(protocol.Orchestrator))...)
	reads = append(reads, r.Delegator(other, new(protocol.Delegator))...)
	reads = append(reads, r.Parameters(new(protocol.Parameters))...)
	reads = append(reads, r.RewardTerms(new(contracts.RewardTerms))...)
	reads = append(reads, r.Proposal(big.NewInt(1), other, new(contracts.Proposal))...)
	reads = append(reads, r.Quote(someFeed, new(contracts.Quote))...)
	return append(reads,
		r.RoundHash(1, new(protocol.Hash)), r.BlockNumber(new(protocol.L1Block)),
		r.EarningsPool(other, 1, new(protocol.EarningsPool)), r.UnbondingLock(other, 1, new(protocol.UnbondingLock)),
		r.FirstInPool(new(core.Address)), r.NextInPool(other, new(core.Address)),
		r.TokenBalance(other, new(core.LPT)), r.Allowance(other, new(core.LPT)),
		r.Sender(other, new(protocol.Sender)), r.ClaimedReserve(other, another, new(core.Wei)),
		r.UsedTicket(protocol.Hash{}, new(bool)),
		r.PollEnd(somePoll, new(protocol.L1Block)),
	)
}

// An endpoint may answer anything: the node refuses or understands it.
func FuzzAnswers(f *testing.F) {
	f.Add(make([]byte, 32))
	f.Add(make([]byte, 320))
	f.Add(append(make([]byte, 31), 32, 255))
	f.Add(never.Bytes())
	reads := everyRead()
	f.Fuzz(func(t *testing.T, answer []byte) {
		for _, r := range reads {
			err := contracts.ReadAll(context.Background(), echo(answer), contracts.Latest, r)
			switch code := fault.CodeOf(err); {
			case err == nil, code == fault.ContractAnswerInvalid, code == fault.ContractMissing && len(answer) == 0:
			default:
				t.Errorf("%s: %v", r.Name(), err)
			}
		}
	})
}
