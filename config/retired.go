package config

// retired lists names from early guides that no current node knows, with what to
// do instead.
func retired() map[string]string {
	const (
		detection = "delete it; content detection was removed from the network's nodes"
		store     = "write -objectStore URL with the bucket and its credentials"
	)
	return map[string]string{
		"txTimeout":                    "write -transactionTimeout",
		"maxTxReplacements":            "write -maxTransactionReplacements",
		"gasPrice":                     "write -maxGasPrice for an upper or -minGasPrice for a lower bound",
		"detectionWebhookUrl":          detection,
		"detectContent":                detection,
		"sceneClassificationModelPath": detection,
		"detectionSampleRate":          detection,
		"ipfsPath":                     "delete it; segments are not kept in IPFS",
		"rtmp":                         "write -rtmpAddr host:port",
		"http":                         "write -httpAddr host:port",
		"cli":                          "write -cliAddr host:port",
		"publicIP":                     "write -serviceAddr host:8935",
		"s3bucket":                     store,
		"s3creds":                      store,
		"gsBucket":                     store,
		"gsKey":                        store,
		"standaloneTranscoder":         "write -transcoder, with -orchAddr and without -orchestrator",
		"dev":                          "delete it; without -network the node runs off-chain",
		"rinkeby":                      "delete it; that test network was retired",
		"offchain":                     "delete it, or write -network offchain; off-chain is the default",
	}
}
