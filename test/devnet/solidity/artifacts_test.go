package solidity_test

import (
	"crypto/ecdsa"
	"encoding/hex"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/ethereum/go-ethereum/common/hexutil"
	"github.com/ethereum/go-ethereum/crypto"

	"github.com/tuttinode/tutti/test/devnet/solidity"
)

// codeLimit is EIP-170's: no larger contract can be deployed.
const codeLimit = 24576

type parameter struct {
	Type       string      `json:"type"`
	Name       string      `json:"name"`
	Indexed    bool        `json:"indexed"`
	Components []parameter `json:"components"`
}

type entry struct {
	Type            string      `json:"type"`
	Name            string      `json:"name"`
	StateMutability string      `json:"stateMutability"`
	Anonymous       bool        `json:"anonymous"`
	Inputs          []parameter `json:"inputs"`
	Outputs         []parameter `json:"outputs"`
}

// canonical is an entry as text. A function's own argument may have a leading
// underscore, where a result has the same name.
func (e entry) canonical(t *testing.T) string {
	t.Helper()
	if e.Type == "function" {
		e.Inputs = slices.Clone(e.Inputs)
		for i := range e.Inputs {
			e.Inputs[i].Name = strings.TrimPrefix(e.Inputs[i].Name, "_")
		}
	}
	text, err := json.Marshal(e)
	if err != nil {
		t.Fatal(err)
	}
	return strings.ReplaceAll(string(text), ":null", ":[]")
}

func entries(t *testing.T, text []byte) map[string]bool {
	t.Helper()
	var list []entry
	if err := json.Unmarshal(text, &list); err != nil {
		t.Fatal(err)
	}
	set := make(map[string]bool)
	for _, e := range list {
		set[e.canonical(t)] = true
	}
	return set
}

// What a node calls and reads exists in the contracts to the letter.
func TestInterfacesAreTheProtocols(t *testing.T) {
	t.Parallel()
	paths, err := filepath.Glob("../../../eth/contracts/abi/*.json")
	if err != nil || len(paths) < 13 {
		t.Fatalf("found %d interfaces: %v", len(paths), err)
	}
	for _, path := range paths {
		name := strings.TrimSuffix(filepath.Base(path), ".json")
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			text, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			a, err := solidity.ArtifactOf(name)
			if err != nil {
				t.Fatal(err)
			}
			has := entries(t, []byte(a.ABI))
			for want := range entries(t, text) {
				if !has[want] {
					t.Errorf("not in the contract: %s", want)
				}
			}
		})
	}
}

func TestArtifactsCanBeDeployed(t *testing.T) {
	t.Parallel()
	names, err := solidity.Names()
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Contains(names, "L1Clock") || len(names) < 15 {
		t.Fatalf("contracts are missing: %q", names)
	}
	for _, name := range names {
		a, err := solidity.ArtifactOf(name)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := a.Interface(); err != nil {
			t.Error(err)
		}
		if a.Name != name || len(a.SourceHash) != 64 || len(a.Creation) < len(a.Runtime) {
			t.Errorf("%s: the artifact is not whole", name)
		}
		if n := len(a.Runtime); n == 0 || n > codeLimit {
			t.Errorf("%s has %d bytes of code, and %d are allowed", name, n, codeLimit)
		}
	}
}

func TestUnknownContract(t *testing.T) {
	t.Parallel()
	if _, err := solidity.ArtifactOf("Nothing"); err == nil || !strings.Contains(err.Error(), `"Nothing"`) {
		t.Errorf("got %v", err)
	}
}

// The selectors that the protocol's documents give for custom errors and for the
// clock, which no interface file lists.
func TestSelectors(t *testing.T) {
	t.Parallel()
	for signature, want := range map[string]string{
		"InvalidCaller(address,address)":                    "16cece48",
		"InvalidStartRound(uint256,uint256)":                "b986b599",
		"FutureLastClaimRound(uint256,uint256)":             "107098b2",
		"InvalidTotalStakeCheckpointRound(uint256,uint256)": "29af3fdf",
		"FutureLookup(uint256,uint256)":                     "7f07449b",
		"MissingEarningsPool(address,uint256)":              "92ad5a72",
		"MustCallBondingManager(string)":                    "866cb42d",
		"InvalidVoteType(uint8)":                            "2081b223",
		"VoteAlreadyCast()":                                 "b3808bab",
		"arbBlockNumber()":                                  "a3b1b31d",
	} {
		if got := hex.EncodeToString(crypto.Keccak256([]byte(signature))[:4]); got != want {
			t.Errorf("%s is %s, want %s", signature, got, want)
		}
	}
	for contract, errors := range map[string]int{"BondingVotes": 7, "LivepeerGovernor": 2} {
		a, err := solidity.ArtifactOf(contract)
		if err != nil {
			t.Fatal(err)
		}
		parsed, err := a.Interface()
		if err != nil || len(parsed.Errors) != errors {
			t.Errorf("%s has %d errors, want %d (%v)", contract, len(parsed.Errors), errors, err)
		}
	}
}

func TestPlan(t *testing.T) {
	t.Parallel()
	deployer := crypto.PubkeyToAddress(mustKey(t).PublicKey)
	plan, err := solidity.NewPlan(deployer, 5, solidity.DefaultSettings())
	if err != nil {
		t.Fatal(err)
	}
	if got, want := plan.Addresses["Controller"], crypto.CreateAddress(deployer, 5); got != want {
		t.Errorf("the Controller is at %s, want %s", got, want)
	}
	for i, s := range plan.Steps {
		if s.What == "" || len(s.Data) < 4 {
			t.Errorf("step %d is empty: %q %s", i, s.What, hexutil.Encode(s.Data))
		}
	}
	bad := solidity.DefaultSettings()
	bad.FirstRound, bad.RoundLength = 0, 0
	if _, err := solidity.NewPlan(deployer, 0, bad); err == nil {
		t.Error("rounds without length were accepted")
	}
}

func mustKey(t *testing.T) *ecdsa.PrivateKey {
	t.Helper()
	key, err := crypto.ToECDSA(append(make([]byte, 31), 1))
	if err != nil {
		t.Fatal(err)
	}
	return key
}
