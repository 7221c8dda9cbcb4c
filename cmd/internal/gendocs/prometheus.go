package main

// prometheusFile is prometheus.yml, to begin with.
func prometheusFile() ([]byte, error) { return []byte(prometheusText), nil }

const prometheusText = `# A Prometheus configuration to begin with, written by cmd/internal/gendocs
# (make docs). Nodes need -monitor; each shows its metrics on its admin port: 7935 for an
# orchestrator, 6935 for a transcoder, 4935 for an AI worker, 5935 for a gateway.
global:
  scrape_interval: 15s
  evaluation_interval: 15s

rule_files:
  - tutti-rules.yml

# alerting:
#   alertmanagers:
#     - static_configs:
#         - targets: [127.0.0.1:9093]

scrape_configs:
  - job_name: tutti
    static_configs:
      - targets: [127.0.0.1:7935]

  # A node whose admin port is not on loopback asks for the token of its data directory:
  # - job_name: tutti-elsewhere
  #   authorization:
  #     credentials_file: /etc/prometheus/tutti-admin.token
  #   static_configs:
  #     - targets: [node.example:7935]
`
