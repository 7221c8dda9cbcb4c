package contracts_test

import (
	"encoding/hex"
	"testing"

	"github.com/ethereum/go-ethereum/accounts/abi"
	"github.com/ethereum/go-ethereum/accounts/abi/bind/v2"

	"github.com/tuttinode/tutti/eth/contracts/bindings"
)

var metadata = map[string]*bind.MetaData{
	"BondingManager":      &bindings.BondingManagerMetaData,
	"BondingVotes":        &bindings.BondingVotesMetaData,
	"Controller":          &bindings.ControllerMetaData,
	"LivepeerGovernor":    &bindings.LivepeerGovernorMetaData,
	"LivepeerToken":       &bindings.LivepeerTokenMetaData,
	"LivepeerTokenFaucet": &bindings.LivepeerTokenFaucetMetaData,
	"Minter":              &bindings.MinterMetaData,
	"Poll":                &bindings.PollMetaData,
	"PollCreator":         &bindings.PollCreatorMetaData,
	"PriceFeed":           &bindings.PriceFeedMetaData,
	"RoundsManager":       &bindings.RoundsManagerMetaData,
	"ServiceRegistry":     &bindings.ServiceRegistryMetaData,
	"TicketBroker":        &bindings.TicketBrokerMetaData,
}

func parsed(t testing.TB, contract string) *abi.ABI {
	t.Helper()
	of, ok := metadata[contract]
	if !ok {
		t.Fatalf("there are no bindings of %s", contract)
	}
	a, err := of.ParseABI()
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// known returns what the bindings of a contract say, by signature.
func known(t *testing.T, contract string, kind string) map[string]string {
	t.Helper()
	a, out := parsed(t, contract), map[string]string{}
	switch kind {
	case "function":
		for _, m := range a.Methods {
			out[m.Sig] = "0x" + hex.EncodeToString(m.ID)
		}
	case "event":
		for _, e := range a.Events {
			out[e.Sig] = e.ID.Hex()
		}
	default:
		for _, e := range a.Errors {
			out[e.Sig] = "0x" + hex.EncodeToString(e.ID[:4])
		}
	}
	return out
}

// The bindings must hold the protocol's tables and nothing else.
func TestSignatures(t *testing.T) {
	t.Parallel()
	for kind, rows := range map[string][]signed{"function": functions, "event": events, "error": customErrors} {
		count := map[string]int{}
		for _, row := range rows {
			count[row.contract]++
			if got := known(t, row.contract, kind)[row.signature]; got != row.id {
				t.Errorf("%s of %s: %s is %q, want %s", kind, row.contract, row.signature, got, row.id)
			}
		}
		for contract := range metadata {
			if got := len(known(t, contract, kind)); got != count[contract] {
				t.Errorf("%s has %d of kind %s in the bindings and %d in the tables", contract, got, kind, count[contract])
			}
		}
	}
}
