"""The driver layer under psycopg: without `pipeline` a recall takes a fifth more processor time.

What each part brings: how much more processor time of web process and database together a recall
takes without it, in brackets of the web process alone (docs/adr/0028-one-way-for-a-recall.md).

    pipeline.py        21 % (49 %)   statements of a message over libpq, named once a connection
    binary_values.py    7 % (18 %)   ids of candidates as bytes, and about 2 % each for lists of ids
                                     and for vectors
    lost_server.py      none: it drops the pool of a server that fell or became a standby
    organisation_moves.py none: what a server says of an organisation that moves
    servers.py          none: which server's connections are used, where there are several
    base.py             none in a recall: Django's backend, which sends savepoints with the
                        statement behind them, and stops statements of a call that is over its time

Callers use `orgs.database.prepared_statements`, and `binary_values` for values of their own.
"""
