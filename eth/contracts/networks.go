package contracts

import (
	"crypto/ecdsa"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/crypto"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/protocol"
)

// Network is what is known of a network without asking it.
type Network struct {
	// Name is the value of -network.
	Name       string
	ChainID    uint64
	Controller core.Address
	// AIRegistry is the registry of the network's AI orchestrators, which the
	// Controller does not know; zero where there is none.
	AIRegistry core.Address
	// Pinned is where the network's contracts are, zero where that is not known. Their
	// proxies keep these addresses when the protocol is upgraded.
	Pinned Addresses
	// RedeemGas is what redeeming a ticket is taken to cost when prices are made.
	RedeemGas   protocol.Gas
	MinGasPrice core.Wei
	// PriceFeed gives the price of ETH in US dollars; zero where there is none.
	PriceFeed core.Address
	// L1BlockTime is the least time between two layer-1 blocks; zero where blocks are made on demand, or where it is
	// not known.
	L1BlockTime time.Duration
	// DefaultRPC is set for a chain of this machine only.
	DefaultRPC string
	// Retired says why no node can work there any more; empty for a live network.
	Retired string
}

// Devnet is the name of the local chain that tutti_devnet makes.
const Devnet = "devnet"

// UnknownRedeemGas is the RedeemGas of a network that is not in the table.
const UnknownRedeemGas protocol.Gas = 350_000

const arbitrumRedeemGas protocol.Gas = 1_200_000

// arbitrumOne is what the Controller of Arbitrum One answers.
func arbitrumOne() Addresses {
	return Addresses{
		Controller:       address("0xD8E8328501E9645d16Cf49539efC04f734606ee4"),
		LivepeerToken:    address("0x289ba1701C2F088cf0faf8B3705246331cB8A839"),
		BondingManager:   address("0x35Bcf3c30594191d53231E4FF333E8A770453e40"),
		TicketBroker:     address("0xa8bB618B1520E284046F3dFc448851A1Ff26e41B"),
		RoundsManager:    address("0xdd6f56DcC28D3F5f27084381fE8Df634985cc39f"),
		ServiceRegistry:  address("0xC92d3A360b8f9e083bA64DE15d95Cf8180897431"),
		Minter:           address("0xc20DE37170B45774e6CD3d2304017fc962f27252"),
		LivepeerGovernor: address("0xcFE4E2879B786C3aa075813F0E364bb5acCb6aa0"),
		BondingVotes:     address("0x0B9C254837E72Ebe9Fe04960C43B69782E68169A"),
		PollCreator:      address("0x8bb50806D60c492c0004DAD5D9627DAA2d9732E6"),
	}
}

// Networks returns the table, live networks first.
func Networks() []Network {
	return []Network{
		{
			Name: "arbitrum-one-mainnet", ChainID: 42161,
			Controller: address("0xD8E8328501E9645d16Cf49539efC04f734606ee4"),
			AIRegistry: address("0x04C0b249740175999E5BF5c9ac1dA92431EF34C5"),
			Pinned:     arbitrumOne(),
			RedeemGas:  arbitrumRedeemGas,
			PriceFeed:  address("0x639Fe6ab55C921f74e7fac1ee960C0B6293ba612"),
			// A slot of Ethereum, which has one block at most.
			L1BlockTime: 12 * time.Second,
		},
		{
			Name: Devnet, ChainID: 42161,
			Controller: DevnetAddress(0), AIRegistry: DevnetAddress(1),
			PriceFeed: DevnetAddress(2),
			RedeemGas: UnknownRedeemGas, DefaultRPC: "http://127.0.0.1:8545",
		},
		{
			Name: "mainnet", ChainID: 1,
			Controller: address("0xf96d54e490317c557a967abfa5d6e33006be69b3"),
			RedeemGas:  UnknownRedeemGas, MinGasPrice: core.NewWei(1_000_000_000),
			Retired: "the protocol left it for arbitrum-one-mainnet and its contracts are paused",
		},
		{
			Name: "arbitrum-one-rinkeby", ChainID: 421611,
			Controller: address("0x9ceC649179e2C7Ab91688271bcD09fb707b3E574"),
			RedeemGas:  arbitrumRedeemGas, Retired: "the test network was shut down",
		},
		{
			Name: "rinkeby", ChainID: 4,
			Controller: address("0x9a9827455911a858E55f07911904fACC0D66027E"),
			RedeemGas:  UnknownRedeemGas, Retired: "the test network was shut down",
		},
	}
}

// LookupNetwork finds a network by the value of -network.
func LookupNetwork(name string) (Network, bool) {
	for _, n := range Networks() {
		if n.Name == name {
			return n, true
		}
	}
	return Network{}, false
}

// Private reports whether a network is a test network or a deployment of one's own: its
// gateways need not be on the internet.
func Private(name string) bool {
	_, known := LookupNetwork(name)
	return !known || name == Devnet
}

// DevnetDeployer returns the key that puts the contracts on the local chain. Any client
// can make it: nothing of worth may ever belong to it.
func DevnetDeployer() *ecdsa.PrivateKey {
	return crypto.ToECDSAUnsafe(crypto.Keccak256([]byte("tutti devnet deployer")))
}

// DevnetAddress returns where the deployer's transaction with this nonce puts its
// contract: the Controller first, the AI registry second.
func DevnetAddress(nonce uint64) core.Address {
	deployer := crypto.PubkeyToAddress(DevnetDeployer().PublicKey)
	return core.Address(crypto.CreateAddress(deployer, nonce))
}

func address(hex string) core.Address { return core.Address(common.HexToAddress(hex)) }
