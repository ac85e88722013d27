//! Safe DPDK: Eal, Port, Queue, Mempool, Mbuf, external memory.
