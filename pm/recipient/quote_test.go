package recipient_test

import (
	"context"
	"encoding/json"
	"math/big"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/capability"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/inference"
	"github.com/tuttinode/tutti/core/protocol"
	"github.com/tuttinode/tutti/pm"
	"github.com/tuttinode/tutti/pm/recipient"
)

func TestQuote(t *testing.T) {
	t.Parallel()
	huge, _ := new(big.Rat).SetString("9223372036854775808")
	fine, _ := new(big.Rat).SetString("1/9223372036854775808")
	tests := map[string]struct {
		change func(*node)
		models []inference.Model
		want   string
		served []inference.Model
		err    fault.Code
	}{
		"transcoding, raw":           {want: "1200"},
		"transcoding, with overhead": {change: func(n *node) { n.price.adjust = true }, want: "1212"},
		"overhead is in thousandths": {change: func(n *node) {
			n.price.adjust = true
			n.price.transcoding = big.NewRat(
				1, 3)
		}, want: "42/125"}, // 0.336666 → 0.336
		"one model": {models: []inference.Model{llama}, want: "7/2", served: []inference.Model{llama}},
		"the sum of two": {models: []inference.Model{llama, qwen}, want: "17/2",
			served: []inference.Model{llama, qwen}},
		"each once": {models: []inference.Model{llama, llama}, want: "7/2",
			served: []inference.Model{llama}},
		"what is not served is left out": {models: []inference.Model{{Capability: capability.LLM, ID: "other"}, qwen},
			want: "5", served: []inference.Model{qwen}},
		"nothing served is transcoding": {models: []inference.Model{{Capability: capability.LLM, ID: "other"}},
			want: "1200"},
		"a sum of 0 is transcoding's": {change: func(n *node) { n.price.models[llama] = new(big.Rat) },
			models: []inference.Model{llama}, want: "1200", served: []inference.Model{llama}},
		"free": {change: func(n *node) {
			n.price.adjust = true
			n.price.transcoding = new(
				big.Rat)
		}, want: "0"},
		"a fraction that does not fit": {change: func(n *node) {
			n.price.transcoding = new(big.Rat).Add(big.NewRat(3, 1),
				fine)
		}, want: "3"},
		"the largest": {change: func(n *node) {
			n.price.transcoding = new(big.Rat).Sub(huge,
				big.NewRat(1, 1))
		}, want: "9223372036854775807"},
		"too large": {change: func(n *node) { n.price.transcoding = huge }, err: fault.PriceOutOfRange},
		"too large with overhead": {change: func(n *node) {
			n.price.adjust = true
			n.price.transcoding = big.NewRat(
				9_200_000_000_000_000, 1)
		}, err: fault.PriceOutOfRange},
		"the largest with overhead": {change: func(n *node) {
			n.price.adjust = true
			n.price.transcoding = big.NewRat(
				9_000_000_000_000_000, 1)
		}, want: "9090000000000000"},
		"a sum too large": {change: func(n *node) { n.price.models[llama] = huge },
			models: []inference.Model{llama, qwen}, err: fault.PriceOutOfRange},
		"no rate": {change: func(n *node) { n.price.transcoding = nil }, err: fault.PriceRateUnknown},
		"no chain": {change: func(n *node) { n.price.adjust = true; n.chain.view.Known = false },
			err: fault.ChainNotReady},
		"no chain, no overhead": {change: func(n *node) { n.chain.view.Known = false }, want: "1200"},
		"no funds": {change: func(n *node) {
			n.price.adjust = true
			n.chain.fund(newGateway(1).addr,
				core.Wei{}, core.Wei{})
		}, err: fault.InsufficientSenderReserve},
		"no answer about funds": {change: func(n *node) { n.price.adjust = true; n.chain.err = errDown },
			err: fault.SenderFundsUnknown},
		"gas is free": {change: func(
			n *node) {
			n.price.adjust = true
			n.chain.view.Head.BaseFee = core.Wei{}
		}, want: "1200"},
		"the least gas price": {change: func(n *node) { n.price.adjust = true; n.SetMinGasPrice(gwei(4000)) },
			want: "1776"}, // 4.8 of 10 ETH
		"a smaller face value costs more": {change: func(n *node) {
			n.price.adjust = true
			n.SetMaxFaceValue(
				gwei(6_000_000))
		}, want: "1224"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			n := newNode(t)
			g := n.gateway(1)
			if tt.change != nil {
				tt.change(n)
			}
			q, err := n.Quote(t.Context(), g.addr, tt.models)
			if fault.CodeOf(err) != tt.err && (err != nil || tt.err != "") {
				t.Fatalf("error %v, want %q", err, tt.err)
			}
			if err != nil {
				return
			}
			if q.Price.String() != tt.want || q.Sender != g.addr || !slices.Equal(q.Models, tt.served) ||
				q.Price.PixelsPerUnit < 1 {
				t.Errorf("quote %+v, want %s for %v", q, tt.want, tt.served)
			}
		})
	}
}

func TestModelPrices(t *testing.T) {
	t.Parallel()
	n := newNode(t)
	huge, _ := new(big.Rat).SetString("9223372036854775808")
	n.price.models[qwen] = huge
	got := n.ModelPrices(core.Address{1})
	if len(got) != 1 || got[0].Model != llama || got[0].Price != (pm.Price{PerUnit: 3, PixelsPerUnit: 1}) {
		t.Errorf("got %+v", got)
	}
}

// TestVectors are those of face values, of whole terms and with prices.
func TestVectors(t *testing.T) {
	t.Parallel()
	var file struct {
		Cases []struct {
			Name      string `json:"name"`
			Error     string `json:"error"`
			FaceValue string `json:"face_value"`
			GasPrice  string `json:"gas_price"`
			MaxFace   string `json:"max_face_value_cfg"`
			MaxFloat  string `json:"max_float"`
			Price     string `json:"price_1200_wei_adjusted"`
			RedeemGas uint64 `json:"redeem_gas"`
			TicketEV  string `json:"ticket_ev"`
			WinProb   string `json:"win_prob_hex"`
		} `json:"cases"`
	}
	raw, err := os.ReadFile("../../test/vectors/face_value_win_prob.json")
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(raw, &file); err != nil || len(file.Cases) < 9 {
		t.Fatal(len(file.Cases), err)
	}
	amount := func(s string) core.Wei {
		w, err := core.ParseWei(s)
		if err != nil {
			t.Fatal(err)
		}
		return w
	}
	for _, c := range file.Cases {
		n := newNode(t, func(o *recipient.Options) {
			o.TicketEV, o.MaxFaceValue, o.RedeemGas = amount(c.TicketEV), amount(c.MaxFace), protocol.Gas(c.RedeemGas)
			o.MaxFloat = func(context.Context, core.Address) (core.Wei, error) { return amount(c.MaxFloat), nil }
		})
		g := n.gateway(1)
		n.price.adjust = true
		n.chain.view.Head.BaseFee = amount(c.GasPrice)
		q, err := n.Quote(t.Context(), g.addr, nil)
		if c.Error != "" {
			if fault.Wire(err) != c.Error {
				t.Errorf("%s: quote with %v", c.Name, err)
			}
			if _, err := n.Terms(t.Context(), &pm.Quote{Sender: g.addr,
				Price: pm.Price{PerUnit: 1}}); fault.Wire(err) != c.Error {
				t.Errorf("%s: terms with %v", c.Name, err)
			}
			continue
		}
		if err != nil || q.Price.String() != c.Price {
			t.Errorf("%s: price %v, %v; want %s", c.Name, q.Price, err, c.Price)
		}
		p, err := n.Terms(t.Context(), &q)
		if err != nil {
			t.Fatal(err)
		}
		prob := new(big.Int).SetBytes(p.WinProb[:]).Text(16)
		if p.FaceValue.String() != c.FaceValue || prob != strings.TrimLeft(strings.TrimPrefix(c.WinProb, "0x"), "0") {
			t.Errorf("%s: face value %v, probability %s; want %s, %s", c.Name, p.FaceValue, prob, c.FaceValue, c.WinProb)
		}
	}
}
