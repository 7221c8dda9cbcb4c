package contracts_test

import (
	"context"
	"encoding/hex"
	"errors"
	"strings"
	"testing"

	"github.com/ethereum/go-ethereum/common"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/eth/contracts"
)

// controller answers as the Controller does: zero for what it does not know.
func controller(without ...string) answer {
	known := map[string]core.Address{}
	for name, id := range nameIDs {
		if !strings.Contains(strings.Join(without, " ")+" ", name+" ") {
			known[id] = places.ByName()[name]
		}
	}
	return func(args []any) []any {
		id := args[0].([32]byte)
		return []any{common.Address(known[hex.EncodeToString(id[:])])}
	}
}

func TestResolve(t *testing.T) {
	t.Parallel()
	optional := []string{"LivepeerTokenFaucet", "LivepeerGovernor", "BondingVotes", "PollCreator"}
	tests := []struct {
		name     string
		without  []string
		opt      contracts.ResolveOptions
		code     fault.Code
		registry core.Address
	}{
		{"all", nil, contracts.ResolveOptions{}, "", places.ServiceRegistry},
		{"all that is needed", optional, contracts.ResolveOptions{}, "", places.ServiceRegistry},
		{"AI registry known", nil, contracts.ResolveOptions{AIRegistryAddr: places.AIServiceRegistry}, "",
			places.ServiceRegistry},
		{"AI registry chosen", nil, contracts.ResolveOptions{AIRegistry: true, AIRegistryAddr: places.AIServiceRegistry},
			"", places.AIServiceRegistry},
		{"AI registry alone", []string{"ServiceRegistry"}, contracts.ResolveOptions{AIRegistry: true,
			AIRegistryAddr: places.AIServiceRegistry}, "", places.AIServiceRegistry},
		{"AI registry unknown", nil, contracts.ResolveOptions{AIRegistry: true}, fault.ContractMissing, core.Address{}},
		{"no ServiceRegistry", []string{"ServiceRegistry"}, contracts.ResolveOptions{}, fault.ContractMissing,
			core.Address{}},
		{"no TicketBroker", []string{"TicketBroker"}, contracts.ResolveOptions{}, fault.ContractMissing, core.Address{}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s := newScripted(t, map[string]answer{"Controller.getContract": controller(tt.without...)})
			got, err := contracts.Resolve(context.Background(), s, places.Controller, tt.opt)
			if tt.code != "" {
				if !errors.Is(err, tt.code) {
					t.Fatalf("got %v, want %s", err, tt.code)
				}
				if len(tt.without) > 0 && !strings.Contains(err.Error(), tt.without[0]) {
					t.Errorf("the fault does not name %s: %v", tt.without[0], err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			want := places
			want.AIServiceRegistry, want.Registry = tt.opt.AIRegistryAddr, tt.registry
			for _, name := range tt.without {
				switch name {
				case "ServiceRegistry":
					want.ServiceRegistry = core.Address{}
				default:
					want.LivepeerTokenFaucet, want.LivepeerGovernor, want.BondingVotes, want.PollCreator = core.Address{},
						core.Address{}, core.Address{}, core.Address{}
				}
			}
			if got != want {
				t.Errorf("got %+v, want %+v", got, want)
			}
			if len(s.sizes) != 1 || s.sizes[0] != len(nameIDs) || s.blocks[0] != contracts.Latest {
				t.Errorf("batches of %v at %v, want one of %d at the newest", s.sizes, s.blocks, len(nameIDs))
			}
		})
	}
}

func TestResolveWrongController(t *testing.T) {
	t.Parallel()
	resolve := func(s *scripted, at core.Address) error {
		_, err := contracts.Resolve(context.Background(), s, at, contracts.ResolveOptions{})
		return err
	}
	if err := resolve(newScripted(t, nil), core.Address{}); !errors.Is(err, fault.ControllerInvalid) {
		t.Errorf("no address: %v", err)
	}
	if err := resolve(newScripted(t, nil), core.Address{0xee}); !errors.Is(err, fault.ControllerInvalid) {
		t.Errorf("no code: %v", err)
	}
	if err := resolve(newScripted(t, nil), places.Controller); !errors.Is(err, fault.ControllerInvalid) {
		t.Errorf("a contract that does not know the question: %v", err)
	}
	odd := newScripted(t, map[string]answer{"Controller.getContract": controller()})
	odd.alter = func(_ string, r *contracts.Result) { r.Data = []byte{1, 2, 3} }
	if err := resolve(odd, places.Controller); !errors.Is(err, fault.ControllerInvalid) {
		t.Errorf("an answer of three bytes: %v", err)
	}
	down := fault.New(fault.ChainUnavailable, "call", "")
	lost := newScripted(t, map[string]answer{"Controller.getContract": controller()})
	lost.alter = func(_ string, r *contracts.Result) { *r = contracts.Result{Err: down} }
	if err := resolve(lost, places.Controller); fault.CodeOf(err) != fault.ChainUnavailable {
		t.Errorf("the endpoint's own fault became %v", err)
	}
}

func TestByName(t *testing.T) {
	t.Parallel()
	names := places.ByName()
	if len(names) != 12 || names["Controller"] != places.Controller ||
		names["AIServiceRegistry"] != places.AIServiceRegistry {
		t.Errorf("%v", names)
	}
	none := contracts.Addresses{Minter: core.Address{1}}
	if got := none.ByName(); len(got) != 1 {
		t.Errorf("zero addresses are listed: %v", got)
	}
}
