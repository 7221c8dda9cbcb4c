livepeer -network arbitrum-one-mainnet -ethUrl https://arb1.example.org/rpc -ethPassword /etc/livepeer/pass -initializeRound -initializeRoundMaxDelay 60s -maxGasPrice 500000000
