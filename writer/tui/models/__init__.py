"""The models of this machine in the app: looked at, chosen, downloaded, erased. Loaded when it is asked for."""
