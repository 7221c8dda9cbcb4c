package contracts_test

import (
	"encoding/hex"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/crypto"

	"github.com/tuttinode/tutti/core/protocol"
	"github.com/tuttinode/tutti/eth/contracts"
)

func TestNetworks(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name                      string
		chain                     uint64
		controller, registry, fee string
		gas                       protocol.Gas
		minGasPrice, rpc          string
		live                      bool
	}{
		{"arbitrum-one-mainnet", 42161, "0xD8E8328501E9645d16Cf49539efC04f734606ee4",
			"0x04C0b249740175999E5BF5c9ac1dA92431EF34C5", "0x639Fe6ab55C921f74e7fac1ee960C0B6293ba612", 1_200_000, "0", "",
			true},
		{"devnet", 42161, "0x3282c120b115ad0e2947463a9751D066A5424739", "0xa211a22704a43D7b40E7Ac831C511ddf9456c76b",
			"0x917f4e70652bd95F65e78d2F70D68b9E5385B689", 350_000, "0", "http://127.0.0.1:8545", true},
		{"mainnet", 1, "0xF96D54E490317c557A967ABfA5d6e33006BE69b3", zeroAddress, zeroAddress, 350_000, "1000000000", "",
			false},
		{"arbitrum-one-rinkeby", 421611, "0x9ceC649179e2C7Ab91688271bcD09fb707b3E574", zeroAddress, zeroAddress, 1_200_000,
			"0", "", false},
		{"rinkeby", 4, "0x9a9827455911a858E55f07911904fACC0D66027E", zeroAddress, zeroAddress, 350_000, "0", "", false},
	}
	if got := len(contracts.Networks()); got != len(tests) {
		t.Errorf("%d networks, want %d", got, len(tests))
	}
	for _, tt := range tests {
		n, ok := contracts.LookupNetwork(tt.name)
		if !ok || n.ChainID != tt.chain || n.Controller.String() != tt.controller || n.AIRegistry.String() != tt.registry ||
			n.PriceFeed.String() != tt.fee || n.RedeemGas != tt.gas || n.MinGasPrice.String() != tt.minGasPrice ||
			n.DefaultRPC != tt.rpc || (n.Retired == "") != tt.live {
			t.Errorf("%s: %+v", tt.name, n)
		}
	}
	for _, n := range contracts.Networks() {
		// Where blocks are made on demand, as on a local chain, heights know no clock.
		if bounded := n.L1BlockTime == 12*time.Second; bounded != (n.Name == "arbitrum-one-mainnet") {
			t.Errorf("%s: a layer-1 block in %s", n.Name, n.L1BlockTime)
		}
	}
	if _, ok := contracts.LookupNetwork("offchain"); ok {
		t.Error("offchain is no network")
	}
}

// The addresses of the local chain follow from the name of its deployer alone.
func TestDevnetAddresses(t *testing.T) {
	t.Parallel()
	key, err := crypto.ToECDSA(crypto.Keccak256([]byte("tutti devnet deployer")))
	if err != nil {
		t.Fatal(err)
	}
	deployer := crypto.PubkeyToAddress(key.PublicKey)
	if got := crypto.PubkeyToAddress(contracts.DevnetDeployer().PublicKey); got != deployer {
		t.Errorf("deployer %s, want %s", got, deployer)
	}
	for nonce := range uint64(2) {
		if got, want := contracts.DevnetAddress(nonce).String(), crypto.CreateAddress(deployer, nonce).Hex(); got != want {
			t.Errorf("nonce %d: %s, want %s", nonce, got, want)
		}
	}
}

// The names' hashes are the protocol's; the resolution itself sends them.
var nameIDs = map[string]string{
	"LivepeerToken":       "3443e257065fe41dd0e4d1f5a1b73a22a62e300962b57f30cddf41d0f8273ba7",
	"BondingManager":      "2517d59a36a86548e38734e8ab416f42afff4bca78706a66ad65750dae7f9e37",
	"TicketBroker":        "bd1aa3e8d2464256d7fd3dcf645c16418d5d8c51d971f1ad7d57e7b1b5eee239",
	"RoundsManager":       "e8438ea868df48e3fc21f2f087b993c9b1837dc0f6135064161ce7d7a1701fe8",
	"ServiceRegistry":     "79c5d2a4a07754f4bacb0ffba18ac516030ee589ebc89db8627680c4d4cdb230",
	"Minter":              "6e58ad548d72b425ea94c15f453bf26caddb061d82b2551db7fdd3cefe0e9940",
	"LivepeerTokenFaucet": "5f8d58050c9f37ce30acebdd762a0683b7f2bb88ded15cdd64e219c282603664",
	"LivepeerGovernor":    "aea11c65571dd8b6188d3a5cf5e5d3d4695845e6f217cad0b453b4e276c6cdcd",
	"BondingVotes":        "2a1b465fbcae519904f0fb11f93e73dfbeb47ec54530ec444279610af8cf06b2",
	"PollCreator":         "0343f01276c9038f8c7154dcdf7873ad6edd872ce0e719ebd989c051b4b1039b",
}

func TestNames(t *testing.T) {
	t.Parallel()
	for name, want := range nameIDs {
		if got := hex.EncodeToString(crypto.Keccak256([]byte(name))); got != want {
			t.Errorf("%s: %s, want %s", name, got, want)
		}
	}
}
