package solidity

import (
	"math/big"
	"testing"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/crypto"
)

func TestController(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for name, id := range map[string]string{
		"LivepeerToken":       "0x3443e257065fe41dd0e4d1f5a1b73a22a62e300962b57f30cddf41d0f8273ba7",
		"BondingManager":      "0x2517d59a36a86548e38734e8ab416f42afff4bca78706a66ad65750dae7f9e37",
		"TicketBroker":        "0xbd1aa3e8d2464256d7fd3dcf645c16418d5d8c51d971f1ad7d57e7b1b5eee239",
		"RoundsManager":       "0xe8438ea868df48e3fc21f2f087b993c9b1837dc0f6135064161ce7d7a1701fe8",
		"ServiceRegistry":     "0x79c5d2a4a07754f4bacb0ffba18ac516030ee589ebc89db8627680c4d4cdb230",
		"Minter":              "0x6e58ad548d72b425ea94c15f453bf26caddb061d82b2551db7fdd3cefe0e9940",
		"LivepeerTokenFaucet": "0x5f8d58050c9f37ce30acebdd762a0683b7f2bb88ded15cdd64e219c282603664",
		"LivepeerGovernor":    "0xaea11c65571dd8b6188d3a5cf5e5d3d4695845e6f217cad0b453b4e276c6cdcd",
		"BondingVotes":        "0x2a1b465fbcae519904f0fb11f93e73dfbeb47ec54530ec444279610af8cf06b2",
		"Treasury":            "0x6efca2866b731ee4984990bacad4cde10f1ef764fb54a5206bdfd291695b1a9b",
		"PollCreator":         "0x0343f01276c9038f8c7154dcdf7873ad6edd872ce0e719ebd989c051b4b1039b",
	} {
		if got := w.addr("Controller", "getContract", common.HexToHash(id)); got != w.at[name] {
			t.Errorf("%s is at %s, want %s", name, got, w.at[name])
		}
		target := crypto.Keccak256Hash([]byte(name + "Target"))
		if got := w.addr("Controller", "getContract", target); got != w.at[name] {
			t.Errorf("%s's target is %s", name, got)
		}
	}
	if got := w.addr("Controller", "getContract", crypto.Keccak256Hash([]byte("Verifier"))); got != none {
		t.Errorf("an unknown name is at %s", got)
	}
	if got := w.addr("Controller", "owner"); got != owner {
		t.Errorf("the owner is %s", got)
	}
	w.ok(owner, "Controller", "transferOwnership", account("heir"))
	w.ok(account("heir"), "Controller", "pause")
}

func TestServiceRegistries(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	uri := func(contract string) string { return one[string](w, contract, "getServiceURI", owner) }
	if uri("ServiceRegistry") != "" {
		t.Error("an address is there before one was set")
	}
	r := w.ok(owner, "ServiceRegistry", "setServiceURI", "https://o.example:8935")
	if w.event(r, "ServiceRegistry", "ServiceURIUpdate")["serviceURI"] != "https://o.example:8935" {
		t.Error("the event has another address")
	}
	w.ok(owner, "AIServiceRegistry", "setServiceURI", "https://ai.example:8935")
	if uri("ServiceRegistry") != "https://o.example:8935" || uri("AIServiceRegistry") != "https://ai.example:8935" {
		t.Error("the registries are not independent")
	}
}

func TestFaucet(t *testing.T) {
	t.Parallel()
	const faucet = "LivepeerTokenFaucet"
	w := newWorld(t)
	x := account("x")
	w.want("at once", w.num(faucet, "nextValidRequest", x), zero)
	r := w.ok(x, faucet, "request")
	w.want("amount", w.event(r, faucet, "Request")["amount"].(*big.Int), tokens(10_000))
	w.want("tokens", w.num("LivepeerToken", "balanceOf", x), tokens(10_000))
	w.want("next", w.num(faucet, "nextValidRequest", x), new(big.Int).SetUint64(w.time+3600))
	w.reverts("execution reverted", x, faucet, "request")
	w.time += 3600
	w.ok(x, faucet, "request")
	w.ok(owner, faucet, "setWhitelisted", x, true)
	w.ok(x, faucet, "request")
}

func TestToken(t *testing.T) {
	t.Parallel()
	const token = "LivepeerToken"
	w := newWorld(t)
	x, y := account("x"), account("y")
	w.wantTrue("names", one[string](w, token, "name") == "Livepeer Token" && one[string](w, token, "symbol") == "LPT")
	w.reverts("ERC20: transfer amount exceeds balance", x, token, "transfer", y, num(1))
	w.ok(owner, token, "transfer", x, num(10))
	w.ok(x, token, "approve", y, num(5))
	w.ok(x, token, "increaseAllowance", y, num(2))
	w.ok(x, token, "decreaseAllowance", y, num(1))
	w.want("allowance", w.num(token, "allowance", x, y), num(6))
	w.reverts("ERC20: insufficient allowance", y, token, "transferFrom", x, y, num(7))
	w.ok(y, token, "transferFrom", x, y, num(6))
	w.want("balance", w.num(token, "balanceOf", y), num(6))
	w.want("allowance", w.num(token, "allowance", x, y), zero)
	w.wantTrue("Burn", w.events(w.ok(y, token, "burn", num(6)), token, "Burn") == 1)
	w.want("supply", w.num(token, "totalSupply"), minus(tokens(10_000_000), num(6)))
	w.reverts("only minters mint", x, token, "mint", x, num(1))
}

func TestPermit(t *testing.T) {
	t.Parallel()
	const token = "LivepeerToken"
	w := newWorld(t)
	s, deadline := newSender(5), new(big.Int).SetUint64(w.time+10)
	word := func(n *big.Int) []byte { return common.BigToHash(n).Bytes() }
	kind := crypto.Keccak256([]byte("Permit(address owner,address spender,uint256 value,uint256 nonce,uint256 deadline)"))
	content := crypto.Keccak256(kind, common.BytesToHash(s.addr[:]).Bytes(), common.BytesToHash(owner[:]).Bytes(),
		word(num(7)), word(zero), word(deadline))
	domain := one[[32]byte](w, token, "DOMAIN_SEPARATOR")
	sig, err := crypto.Sign(crypto.Keccak256([]byte{0x19, 1}, domain[:], content), s.key)
	if err != nil {
		t.Fatal(err)
	}
	r, z := [32]byte(sig[:32]), [32]byte(sig[32:64])
	w.reverts("ERC20Permit: invalid signature", owner, token, "permit", s.addr, owner, num(8), deadline, sig[64]+27, r, z)
	w.ok(account("anybody"), token, "permit", s.addr, owner, num(7), deadline, sig[64]+27, r, z)
	w.want("allowance", w.num(token, "allowance", s.addr, owner), num(7))
	w.want("nonce", w.num(token, "nonces", s.addr), num(1))
	w.reverts("ERC20Permit: invalid signature", owner, token, "permit", s.addr, owner, num(7), deadline, sig[64]+27, r, z)
	w.time += 20
	w.reverts("ERC20Permit: expired deadline", owner, token, "permit", s.addr, owner, num(7), deadline, sig[64]+27, r, z)
}

func TestPriceFeed(t *testing.T) {
	t.Parallel()
	const feed = "PriceFeed"
	w := newWorld(t)
	w.wantTrue("pair", one[string](w, feed, "description") == "ETH / USD")
	w.wantTrue("scale", one[uint8](w, feed, "decimals") == 8)
	w.want("answer", w.field(feed, "latestRoundData", "answer"), num(3000_00000000))
	w.time += 60
	w.ok(owner, feed, "setAnswer", num(1234))
	w.want("answer", w.field(feed, "latestRoundData", "answer"), num(1234))
	w.want("time", w.field(feed, "latestRoundData", "updatedAt"), new(big.Int).SetUint64(w.time))
	w.reverts("only the admin sets the price", account("x"), feed, "setAnswer", num(1))
}
