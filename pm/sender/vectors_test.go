package sender_test

import (
	"bytes"
	"encoding/json"
	"math/big"
	"os"
	"path/filepath"
	"testing"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/protocol"
	"github.com/tuttinode/tutti/pm"
	"github.com/tuttinode/tutti/pm/sender"
)

func vectors(t *testing.T, name string, into any) {
	t.Helper()
	raw, err := os.ReadFile(filepath.Join("..", "..", "test", "vectors", name))
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(raw, into); err != nil {
		t.Fatal(err)
	}
}

func TestBatchSizes(t *testing.T) {
	t.Parallel()
	var file struct {
		Rows []struct {
			Existing string `json:"existing_credit"`
			Min      string `json:"min_credit"`
			EV       string `json:"ticket_ev"`
			New      string `json:"new_credit"`
			N        int    `json:"num_tickets"`
		} `json:"ticket_batch_sizes"`
	}
	vectors(t, "balances_and_prices.json", &file)
	if len(file.Rows) < 5 {
		t.Fatal("no vectors")
	}
	for _, row := range file.Rows {
		k := begin(t, t.TempDir(), nil)
		number := func(s string) *big.Int {
			n, ok := new(big.Int).SetString(s, 10)
			if !ok {
				t.Fatal(s)
			}
			return n
		}
		// Tickets whose expected value is exact.
		ev := number(row.EV)
		p := params(1, 1)
		var err error
		if p.FaceValue, err = core.WeiOf(new(big.Int).Mul(ev, big.NewInt(3))); err != nil {
			t.Fatal(err)
		}
		for i := range p.WinProb {
			p.WinProb[i] = 0x55 // a third of 2^256-1
		}
		// One payment leaves the existing credit behind.
		first := terms(p, nil)
		existing := number(row.Existing).Int64()
		before := pay(t, k, first, 0)
		before.Settle(sender.Served, int64(len(before.Tickets))*ev.Int64()-existing)
		if existing > ev.Int64() { // bills are not negative: several payments
			for k.Balances()[0].Value.Cmp(pm.ValueOf(new(big.Rat).SetInt64(existing))) < 0 {
				b := k.Balances()[0].Value.Floor().Int64()
				more := pay(t, k, first, b+1)
				over := b + int64(len(more.Tickets))*ev.Int64() - existing
				more.Settle(sender.Served, max(0, over))
			}
		}
		if got := k.balance(t); got != row.Existing {
			t.Fatalf("%s is there, want %s", got, row.Existing)
		}
		payment := pay(t, k, first, number(row.Min).Int64())
		if len(payment.Tickets) != row.N {
			t.Errorf("%+v: %d tickets", row, len(payment.Tickets))
		}
	}
}

// The same keys and parameters make the network's signatures, byte for byte. The
// messages around them are compared where they are made.
func TestTicketVectors(t *testing.T) {
	t.Parallel()
	var file struct {
		Tickets []struct {
			Name      string `json:"name"`
			Signature string `json:"signature"`
			Nonce     uint32 `json:"sender_nonce"`
			RandHash  string `json:"recipient_rand_hash"`
			FaceValue string `json:"face_value"`
			WinProb   string `json:"win_prob_hex"`
			Round     uint64 `json:"creation_round"`
			Hash      string `json:"creation_round_block_hash"`
		}
	}
	vectors(t, "tickets.json", &file)
	for _, row := range file.Tickets {
		t.Run(row.Name, func(t *testing.T) {
			t.Parallel()
			k := begin(t, t.TempDir(), func(o *sender.Options) { o.Limits.MaxEV = wei("1e18") })
			k.chain.change(func() { k.chain.view.Round.LastInitialized, k.chain.view.Round.LastHash = 0, protocol.Hash{} })
			p := params(1, 1)
			p.FaceValue = wei(row.FaceValue)
			prob, _ := protocol.WordOf(new(big.Int).SetBytes(unhex(t, row.WinProb)))
			p.WinProb = prob
			p.RecipientRandHash = protocol.Hash(unhex(t, row.RandHash))
			p.Expiration = pm.Expiration{Round: protocol.Round(row.Round), BlockHash: protocol.Hash(unhex(t, row.Hash))}
			offer := terms(p, func(t *sender.Terms) { t.Nonces = 1 << 20 })
			var last *sender.Payment
			for n := uint32(0); n < row.Nonce; n++ {
				last = pay(t, k, offer, 0)
			}
			if got := last.Tickets[0]; got.Nonce != row.Nonce || !bytes.Equal(got.Sig, unhex(t, row.Signature)) {
				t.Errorf("%d %x", got.Nonce, got.Sig)
			}
		})
	}
}
