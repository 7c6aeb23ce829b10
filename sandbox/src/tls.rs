//! The sandbox's own certificate authority, and the certificate that its API servers show.
//!
//! The CA is made once per folder, so that kubeconfigs handed out stay valid; the server certificate is made at each
//! start and never written.

use crate::files;
use anyhow::{Context, Result};
use rcgen::{
    BasicConstraints, CertificateParams, DnType, ExtendedKeyUsagePurpose, IsCa, Issuer, KeyPair,
    KeyUsagePurpose,
};
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use std::path::Path;
use std::sync::Arc;
use tokio_rustls::TlsAcceptor;

pub struct Authority {
    issuer: Issuer<'static, KeyPair>,
    /// The CA's certificate, PEM.
    pub ca_pem: String,
}

impl Authority {
    /// Opens the CA of this folder or makes one: the certificate at `ca_pem`, its key (mode 0600) at `ca_key`.
    ///
    /// # Errors
    /// When a file cannot be read, understood or written.
    pub fn open(ca_pem: &Path, ca_key: &Path) -> Result<Authority> {
        let key = match std::fs::read_to_string(ca_key) {
            Ok(pem) => {
                KeyPair::from_pem(&pem).with_context(|| format!("{} is not a key", ca_key.display()))?
            }
            Err(_) => {
                let key = KeyPair::generate()?;
                files::write_private(ca_key, &key.serialize_pem())?;
                key
            }
        };
        let params = ca_params();
        let pem = match std::fs::read_to_string(ca_pem) {
            Ok(pem) => pem,
            Err(_) => {
                let pem = params.self_signed(&key)?.pem();
                files::write_public(ca_pem, &pem)?;
                pem
            }
        };
        Ok(Authority { issuer: Issuer::new(params, key), ca_pem: pem })
    }

    /// A TLS side for listeners on loopback.
    ///
    /// # Errors
    /// When the certificate cannot be made; a defect, not a condition.
    pub fn acceptor(&self) -> Result<TlsAcceptor> {
        let key = KeyPair::generate()?;
        let mut params = CertificateParams::new(vec!["localhost".to_owned(), "127.0.0.1".to_owned()])?;
        params.distinguished_name.push(DnType::CommonName, "spaceport-sandbox");
        params.key_usages = vec![KeyUsagePurpose::DigitalSignature];
        params.extended_key_usages = vec![ExtendedKeyUsagePurpose::ServerAuth];
        // Strict verifiers (Python's) demand the link to the issuer's key.
        params.use_authority_key_identifier_extension = true;
        let certificate: CertificateDer<'static> = params.signed_by(&key, &self.issuer)?.der().clone();
        let key = PrivateKeyDer::try_from(key.serialize_der()).map_err(anyhow::Error::msg)?;
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let mut config = rustls::ServerConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()?
            .with_no_client_auth()
            .with_single_cert(vec![certificate], key)?;
        config.alpn_protocols = vec![b"h2".to_vec(), b"http/1.1".to_vec()];
        Ok(TlsAcceptor::from(Arc::new(config)))
    }
}

/// The same at each start: the issuer's name and key identifier in new certificates must match the kept one.
fn ca_params() -> CertificateParams {
    let mut params = CertificateParams::default();
    params.distinguished_name.push(DnType::CommonName, "Spaceport sandbox CA");
    params.is_ca = IsCa::Ca(BasicConstraints::Constrained(0));
    params.key_usages = vec![KeyUsagePurpose::KeyCertSign, KeyUsagePurpose::CrlSign];
    params
}

#[cfg(test)]
#[expect(clippy::unwrap_used, reason = "tests fail by panicking")]
mod tests {
    use super::*;
    use rustls::pki_types::ServerName;
    use rustls::pki_types::pem::PemObject;
    use tokio_rustls::TlsConnector;

    async fn handshake(trusting: &str, authority: &Authority) -> std::io::Result<()> {
        let mut roots = rustls::RootCertStore::empty();
        roots.add(CertificateDer::from_pem_slice(trusting.as_bytes()).unwrap()).unwrap();
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let config = rustls::ClientConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()
            .unwrap()
            .with_root_certificates(roots)
            .with_no_client_auth();
        let (near, far) = tokio::io::duplex(1 << 16);
        let acceptor = authority.acceptor().unwrap();
        let server = tokio::spawn(async move { acceptor.accept(far).await.map(drop) });
        let name = ServerName::try_from("127.0.0.1").unwrap();
        let result = TlsConnector::from(Arc::new(config)).connect(name, near).await.map(drop);
        let _ = server.await;
        result
    }

    #[tokio::test]
    async fn a_client_that_trusts_the_first_start_trusts_the_next() {
        let dir = tempfile::tempdir().unwrap();
        let open = || Authority::open(&dir.path().join("ca.pem"), &dir.path().join("ca.key")).unwrap();
        let first = open().ca_pem;
        let second = open();
        assert_eq!(first, second.ca_pem);
        handshake(&first, &second).await.unwrap();
    }

    #[tokio::test]
    async fn another_sandbox_is_not_trusted() {
        let (one, other) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let open = |dir: &Path| Authority::open(&dir.join("ca.pem"), &dir.join("ca.key")).unwrap();
        let trusted = open(one.path()).ca_pem;
        assert!(handshake(&trusted, &open(other.path())).await.is_err());
    }
}
