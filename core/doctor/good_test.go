package doctor_test

import (
	"context"
	"time"

	"github.com/tuttinode/tutti/core/doctor"
)

// now is the tests' time.
var now = time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)

// facts are a world as plain values, for tests to spoil.
type worldState struct {
	setup   doctor.Setup
	running doctor.Running
	machine doctor.Machine
	gpus    doctor.GPUs
	media   doctor.Media
	ports   []doctor.Port
	address doctor.Address
	cert    doctor.Certificate
	peers   []doctor.Peer
	chain   doctor.ChainState
	account doctor.Account
	prices  doctor.Prices
	models  doctor.Models
	live    []doctor.LiveRunner
	liveErr error
	docker  doctor.Docker
	disk    doctor.Disk
	clock   doctor.Clock
	secrets []doctor.SecretLocation
}

// good is a world in which every check has something to look at and passes: an
// orchestrator with everything alongside its running node.
func good() *worldState {
	return &worldState{
		setup: doctor.Setup{
			Roles:   doctor.Roles{Orchestrator: true, Transcoder: true, AIWorker: true, Gateway: true},
			Network: "arbitrum-one-mainnet", Serves: true, GPUs: "0", MaxSessions: 8, Reward: "auto",
			Addresses: doctor.Addresses{ServiceAddr: "https://node.example:8935", Host: "node.example",
				AdminAddr: "127.0.0.1:7935"},
			Endpoints: 2, Polling: 5 * time.Second,
			MaxPrice: "2000 wei", PayLimits: "tickets are bounded", Models: true, LiveRunners: true,
			Redeemer: "redeemer.example:8935", LogDir: "/var/log/tutti", WorkerSecret: 32,
		},
		running: doctor.Running{Up: true, Version: "1", Mine: "1", Sessions: 1, Limit: 8,
			Workers: []string{"gpu 0 is ready"}, Reward: "reward is done in round 7"},
		machine: doctor.Machine{OnPath: "/usr/bin/tutti", Memory: 16 << 30, Free: 8 << 30, Files: 65536,
			Processors: 8, Systemd: true, Unit: "tutti.service", UnitState: "enabled"},
		gpus: doctor.GPUs{Driver: "550.54", Devices: []doctor.Card{{Name: "RTX", ID: "0", Encodes: true,
			Memory: 24 << 30, Temperature: 40}}},
		media: doctor.Media{Device: "cpu", Took: time.Second},
		ports: []doctor.Port{{Purpose: "public", Address: ":8935", Taken: "tutti", Ours: true},
			{Purpose: "admin", Address: "127.0.0.1:7935"}},
		address: doctor.Address{Advertised: "https://node.example:8935", OnChain: "https://node.example:8935",
			Discovered: "https://198.51.100.7:8935", Reached: true, Resolved: []string{"198.51.100.7"}},
		cert:  doctor.Certificate{Own: true, From: now.AddDate(0, -1, 0), To: now.AddDate(0, 2, 0)},
		peers: []doctor.Peer{{Address: "https://orch.example:8935"}},
		chain: doctor.ChainState{
			Endpoints: []doctor.Endpoint{{Name: "https://rpc.example", State: "serving",
				Latency: 80 * time.Millisecond}},
			Known: true, ChainID: 42161, Block: 9, BlockTime: now.Add(-time.Second), Round: 7, Initialized: true,
			Contracts:    9,
			Orchestrator: "0xA", Registered: true, Active: true, URI: "https://node.example:8935", Stake: "1000",
			MayReward: true,
			Account:   "0xA", Ether: "1", GasLeft: 1000,
		},
		account: doctor.Account{Address: "0xA", File: "/data/keystore/a", Opened: true},
		prices:  doctor.Prices{Text: "1200 wei", Quotes: 2},
		models: doctor.Models{
			Entries: 1, Warm: 1, Managed: true, Servers: []doctor.Peer{{Address: "m at host"}},
			Images: []doctor.Image{{Name: "i:1", Present: true}},
			Ports:  []doctor.Port{{Purpose: "m", Address: "port 8500"}}, Dir: "/data/models", Free: 100 << 30,
		},
		live:   []doctor.LiveRunner{{Label: "a"}, {Label: "b", Managed: true}},
		docker: doctor.Docker{Version: "27.0", GPUs: true},
		disk: doctor.Disk{Dir: "/data", Exists: true, Writable: true, Mode: 0o700, Free: 50 << 30, Size: 100 << 30,
			Kind: "a local disk", Database: "tutti.db", Holder: "1"},
		clock: doctor.Clock{Known: true, Synchronized: true},
		secrets: []doctor.SecretLocation{{Option: "ethPassword", Where: "/etc/pass", File: true, Mode: 0o600},
			{Option: "admin.token", Where: "/data/admin.token", File: true, Mode: 0o600}},
	}
}

// world is the facts behind ports.
func (f *worldState) world() *doctor.World {
	return &doctor.World{
		Setup: f.setup, Now: func() time.Time { return now },
		Running: doctor.FixedProbe(f.running, nil), Machine: doctor.FixedProbe(f.machine, nil),
		GPUs: doctor.FixedProbe(f.gpus, nil), Media: doctor.FixedProbe(f.media, nil),
		Ports: doctor.FixedProbe(f.ports, nil), Address: doctor.FixedProbe(f.address, nil),
		Cert: doctor.FixedProbe(f.cert, nil), Peers: doctor.FixedProbe(f.peers, nil),
		Chain: doctor.FixedProbe(f.chain, nil), Account: doctor.FixedProbe(f.account, nil),
		Prices: doctor.FixedProbe(f.prices, nil), Models: doctor.FixedProbe(f.models, nil),
		Live:   doctor.FixedProbe(f.live, f.liveErr),
		Docker: doctor.FixedProbe(f.docker, nil), Storage: doctor.FixedProbe(f.disk, nil),
		Clock:   doctor.FixedProbe(f.clock, nil),
		Secrets: doctor.FixedProbe(f.secrets, nil),
	}
}

// run is what comes of all checks in a world, by name.
func (f *worldState) run() map[string]doctor.Result {
	out := map[string]doctor.Result{}
	for _, r := range doctor.Run(context.Background(), f.world(), doctor.Checks(),
		doctor.Options{Limit: 10 * time.Second}) {
		out[r.Name] = r
	}
	return out
}
