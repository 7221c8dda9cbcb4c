package endpoint

import (
	"context"
	"testing"

	"github.com/ethereum/go-ethereum"
	"github.com/ethereum/go-ethereum/common"
)

func TestReads(t *testing.T) {
	t.Parallel()
	n := newFakeNode(t)
	p := poolOf(t, nil, n)
	ctx := context.Background()
	head, err := p.Head(ctx)
	if err != nil || head.Number != 1000 || head.L1 != 20 || head.BaseFee.String() != "10000000" {
		t.Fatalf("head %+v, %v", head, err)
	}
	if w, err := p.BalanceAt(ctx, common.Address{1}, 0); err != nil || w.String() != "42" {
		t.Fatalf("balance %v, %v", w, err)
	}
	results, err := p.CallBatch(ctx, 0, []ethereum.CallMsg{{}, {}, {}})
	if err != nil || len(results) != 3 || results[2].Data[0] != 0x2a {
		t.Fatalf("batch %v, %v", results, err)
	}
	if logs, next, err := p.Logs(ctx, 1, 1000, LogFilter{}); err != nil || len(logs) != 0 || next != 1001 {
		t.Fatalf("logs %v, %v, %v", logs, next, err)
	}
	if got := n.count("eth_chainId"); got != 1 {
		t.Errorf("%d requests for the chain ID", got)
	}
}
